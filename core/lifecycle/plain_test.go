package lifecycle_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	lc "github.com/repute-go/repute/core/lifecycle"
)

func TestPlain(t *testing.T) {
	for _, v := range []struct{ in, want string }{
		{"", ""}, {"  a \t b\r\n c  ", "a b c"}, {"naïve 標準化 초과근무", "naïve 標準化 초과근무"},
		{"a\x1b[31mred\x1b[0m", "ared"}, {"a\u009b31mb", "ab"}, {"\x1b]0;title\ab", "b"}, {"\x1b]8;;http://x\x1b\\b", "b"},
		{"\x1b]0;never ends", "0;never ends"}, {"\x1bcreset", "reset"}, {"\x1b", ""}, {"\x1b[", ""}, {"\u0090q\u009cb", "b"},
		{"a\u202eb\u2066c\u200ed\ufeffe\u00adf", "abcdef"}, {"a\u2028b\u2029c\u0085d", "a b c d"}, {"a\x00b\x07c\x7fd", "abcd"},
		{"x\xffy\xc3", "xy"}, {"a\U000e0041b\ue000c\ufffed", "abcd"}, {"\u3164\u2800", ""},
		{"می\u200cخواهم", "می\u200cخواهم"}, {"a\u200cb\u200dc", "abc"}, {"👩\u200d💻", "👩\u200d💻"},
		{"e\u0301\u0302\u0303\u0304\u0305x", "e\u0301\u0302\u0303x"}, {"\u0301a", "a"},
	} {
		if got := lc.Plain(v.in); got != v.want {
			t.Errorf("Plain(%q) = %q, want %q", v.in, got, v.want)
		}
	}
	long := lc.Plain(strings.Repeat("é", 5000))
	if utf8.RuneCountInString(long) != 160 || !strings.HasSuffix(long, "…") {
		t.Errorf("long text became %d runes", utf8.RuneCountInString(long))
	}
}

func FuzzPlain(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\x1b]0;x\a", "\u202eabc", "e\u0301", "\xff", "a \n b", "\u009b1A"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := lc.Plain(s)
		if !utf8.ValidString(p) || utf8.RuneCountInString(p) > 160 || p != strings.TrimSpace(p) || strings.Contains(p, "  ") {
			t.Fatalf("Plain(%q) = %q", s, p)
		}
		for _, r := range p {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("Plain(%q) keeps %U", s, r)
			}
		}
		if again := lc.Plain(p); again != p {
			t.Fatalf("Plain is not stable: %q, then %q", p, again)
		}
	})
}

// A title made of the beginnings of control sequences is looked through once. If the
// work grew with the square of its length, this would not end.
func TestPlainLooksAtALongTitleOnce(t *testing.T) {
	for name, piece := range map[string]string{"OSC": "\x1b]", "DCS": "\x1bP", "eight bits": "\u009d", "ended far away": "\x1b]x\x1b_"} {
		if got := lc.Plain(strings.Repeat(piece, 2<<20) + "name"); len(got) > 4*160 {
			t.Errorf("%s: %.40q", name, got)
		}
	}
	if got := lc.Plain(strings.Repeat("\x1b]a\x1b\\", 1<<19) + "name"); got != "name" {
		t.Errorf("ended: %.40q", got)
	}
	if got := lc.Plain("\x1b]swallowed\aa\x1b]not b"); got != "anot b" {
		t.Errorf("%q", got)
	}
}
