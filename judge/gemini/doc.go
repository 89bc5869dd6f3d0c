// Package gemini judges answers with a Gemini model, over the Gemini API or Vertex AI.
//
// [New] makes a [Judge], which is a judge.Judge: put it before judge.Overlap in a judge.Fallback and behind a judge.Feed,
// and a model that is slow, rate limited or down costs nothing but its own verdicts.
//
// Question, answer, reference and documents go to the model as JSON strings between two random marks that change with every
// call, with the instruction that everything between them is data to be graded. What comes back must be one JSON object
// with every grade in [0,1]; anything else is judge.ErrNoVerdict, never a bad mark.
//
// Requests leave this process: the texts of a case are sent to Google. The API key is kept out of errors and logs and of
// whatever is printed of a Judge or of Options, but see Options.APIKey.
package gemini
