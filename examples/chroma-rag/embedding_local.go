package main

import repchromem "github.com/repute-go/repute/chromem"

// localEmbedding hashes words into vectors, in the process. It knows how words are
// written, not what they mean.
func localEmbedding() (embedding, error) {
	local, err := repchromem.NewLocalEmbedder(repchromem.LocalOptions{})
	if err != nil {
		return embedding{}, err
	}
	return embedding{local.Fingerprint(), local.Func()}, nil
}
