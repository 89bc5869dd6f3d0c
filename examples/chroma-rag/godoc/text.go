package godoc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations spells out the abbreviations that Go code conventionally uses in
// names. Who asks in prose says "directory", not "dir". The list is of Go's naming
// habits and knows nothing of any question.
var abbreviations = map[string]string{
	"addr": "address", "alloc": "allocate", "arg": "argument", "args": "arguments", "atoi": "string to integer", "attr": "attribute",
	"auth": "authentication", "buf": "buffer", "cert": "certificate", "char": "character", "chan": "channel", "chdir": "change directory",
	"chmod": "change mode", "chown": "change owner", "cmd": "command", "col": "column", "cond": "condition", "config": "configuration",
	"conn": "connection", "const": "constant", "conv": "conversion", "ctx": "context", "db": "database", "dec": "decode", "decl": "declaration",
	"dir": "directory", "dirs": "directories", "dst": "destination", "elem": "element", "enc": "encode", "env": "environment", "err": "error",
	"eval": "evaluate", "exec": "execute", "expr": "expression", "ext": "extension", "fmt": "format", "fs": "file system", "func": "function",
	"gid": "group", "hdr": "header", "id": "identifier", "idx": "index", "info": "information", "init": "initialize", "int": "integer",
	"io": "input output", "iter": "iterator", "len": "length", "lib": "library", "lit": "literal", "max": "maximum", "min": "minimum",
	"mkdir": "make directory", "msg": "message", "mul": "multiply", "num": "number", "op": "operation", "os": "operating system",
	"param": "parameter", "pid": "process", "pkg": "package", "pos": "position", "priv": "private", "prog": "program", "proc": "process",
	"ptr": "pointer", "pub": "public", "rand": "random", "recv": "receive", "ref": "reference", "regexp": "regular expression",
	"rem": "remainder", "repl": "replacement", "req": "request", "resp": "response", "rmdir": "remove directory", "sep": "separator",
	"seq": "sequence", "sig": "signal", "sqrt": "square root", "src": "source", "stmt": "statement", "str": "string", "strconv": "string conversion",
	"struct": "structure", "sub": "subtract", "sync": "synchronization", "sys": "system", "temp": "temporary", "tmp": "temporary",
	"tok": "token", "trunc": "truncate", "tx": "transaction", "uid": "user", "val": "value", "var": "variable", "vec": "vector",
}

// Spell writes a symbol in words: identifiers are cut where their case changes
// and conventional abbreviations are followed by what they stand for.
// "os.MkdirAll" becomes "os operating system mkdir make directory all".
func Spell(symbol string) string {
	var words []string
	for _, part := range strings.FieldsFunc(symbol, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, w := range cutCase(part) {
			w = strings.ToLower(w)
			words = append(words, w)
			if long := abbreviations[w]; long != "" {
				words = append(words, long)
			}
		}
	}
	return strings.Join(words, " ")
}

// cutCase cuts an identifier into words: "ServeHTTPFile" is Serve, HTTP, File.
func cutCase(identifier string) []string {
	var words []string
	rs := []rune(identifier)
	start := 0
	for i := 1; i < len(rs); i++ {
		rises := unicode.IsUpper(rs[i]) && !unicode.IsUpper(rs[i-1])
		ends := unicode.IsUpper(rs[i]) && i+1 < len(rs) && unicode.IsLower(rs[i+1])
		if rises || ends {
			words = append(words, string(rs[start:i]))
			start = i
		}
	}
	return append(words, string(rs[start:]))
}

// Head is what stands above the documentation in every passage of an entry: the
// symbol in words, the signature, and the first sentence. The sentence is there
// twice in the first passage. By convention it says what the symbol is for, and a
// field that matters more than the rest counts more in a bag of words when it is
// repeated (Robertson, Zaragoza and Taylor 2004); in the others it is the context
// without which a passage from the middle cannot be understood.
func (e Entry) Head() string {
	return Spell(e.Symbol) + "\n" + e.Signature + "\n" + e.Summary() + "\n\n"
}

// Summary is the first sentence of the documentation.
func (e Entry) Summary() string {
	line, _, _ := strings.Cut(e.Doc, "\n")
	if i := strings.Index(line, ". "); i >= 0 {
		return line[:i+1]
	}
	return line
}

// Text is the whole entry as one text: head and documentation. The deprecation
// notice is not part of it, see the package comment.
func (e Entry) Text() string { return e.Head() + e.Doc }

// Passages cuts an entry into texts to index, each with the head in front, so
// that a passage from the middle still says what it is about. The documentation
// is cut between paragraphs, or between words where one is longer, into pieces of
// about size bytes. There is always at least one passage.
func (e Entry) Passages(size int) []string {
	var passages []string
	for _, piece := range cutText(e.Doc, max(size, utf8.UTFMax)) {
		passages = append(passages, e.Head()+piece)
	}
	return passages
}

// cutText packs paragraphs into pieces of at most size bytes; a longer paragraph
// is cut after a sentence or else a word.
func cutText(text string, size int) []string {
	var pieces []string
	current := ""
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if current != "" && len(current)+len("\n\n")+len(paragraph) > size {
			pieces, current = append(pieces, current), ""
		}
		for len(paragraph) > size {
			at := cutAt(paragraph, size)
			pieces = append(pieces, strings.TrimSpace(paragraph[:at]))
			paragraph = strings.TrimLeft(paragraph[at:], " ")
		}
		current = joinParagraphs(current, paragraph)
	}
	if current != "" || len(pieces) == 0 {
		pieces = append(pieces, current)
	}
	return pieces
}

// cutAt is where to cut a text longer than size: after its last sentence if that
// is not too early, else after its last word, else at a rune.
func cutAt(text string, size int) int {
	head := text[:size]
	if i := strings.LastIndex(head, ". "); i > size/3 {
		return i + 1
	}
	if i := strings.LastIndexAny(head, " \n"); i > 0 {
		return i
	}
	at := size
	for at > 1 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
