// Package judge looks at a finished answer and says how good it is and which of the retrieved documents bear it out, so
// that the outcome of a retrieval can be learned from without anyone pressing a button.
//
// A [Judge] turns a [Case] (question, answer, documents) into a [Verdict] or says why it has none. [Overlap] is a judge
// that needs nothing but the texts; a language model is one in the package judge/gemini. [Fallback] asks a second judge
// where the first one is silent and marks who spoke. [Feed] does the judging in the background, so that a slow, broken or
// absent judge never slows or fails a retrieval or an answer.
//
// "No verdict" is an error (ErrNoVerdict) and never a bad mark: what a judge could not say must not be learned from.
//
// Everything here is safe for concurrent use unless it says otherwise.
package judge
