package godoc_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/repute-go/repute/examples/chroma-rag/godoc"
)

func open(t *testing.T, root string) *godoc.Source {
	t.Helper()
	s, err := godoc.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// standard reads the standard library once for all tests.
var standard = sync.OnceValues(func() ([]godoc.Entry, error) {
	s, err := godoc.Open("")
	if err != nil {
		return nil, err
	}
	return s.Load(context.Background(), nil)
})

func load(t *testing.T, root string) map[string]godoc.Entry {
	t.Helper()
	read := standard
	if root != "" {
		read = func() ([]godoc.Entry, error) { return open(t, root).Load(context.Background(), nil) }
	}
	entries, err := read()
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]godoc.Entry, len(entries))
	for _, e := range entries {
		if _, twice := found[e.Symbol]; twice {
			t.Errorf("two entries for %s", e.Symbol)
		}
		found[e.Symbol] = e
	}
	return found
}

func TestEntriesOfTheFixture(t *testing.T) {
	found := load(t, "testdata/goroot")
	want := []string{
		"old", "old.Do", "shop", "shop.ErrClosed", "shop.ErrSoldOut", "shop.Kiosk", "shop.Kiosk.Ring", "shop.Monday", "shop.New",
		"shop.Seller", "shop.Seller.Price", "shop.Shop", "shop.Shop.Name", "shop.Shop.Offer", "shop.Shop.Owner", "shop.Shop.Sell",
		"shop.Small", "shop.Stall", "shop.Stall.Fold", "shop.Sunday",
	}
	var got []string
	for symbol := range found {
		got = append(got, symbol)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("symbols\n got %v\nwant %v", got, want)
	}
}

func TestEntryFields(t *testing.T) {
	found := load(t, "testdata/goroot")
	for _, c := range []godoc.Entry{
		{Symbol: "shop", Kind: godoc.KindPackage, Signature: "package shop", Doc: "Package shop sells things. It is small.\n\nSee Shop.Sell for how."},
		{Symbol: "shop.Shop", Kind: godoc.KindType, Signature: "type Shop struct", Doc: "A Shop sells things."},
		{Symbol: "shop.Shop.Sell", Kind: godoc.KindMethod, Signature: "func (s *Shop) Sell(thing string, price int) (err error)",
			Doc: "Sell sells one thing to a customer.", Deprecated: true, Replacement: "Use Shop.Offer, which may be refused."},
		{Symbol: "shop.Shop.Offer", Kind: godoc.KindMethod, Signature: "func (s *Shop) Offer(thing string) error",
			Doc: "Offer offers one thing. It is not Deprecated: the word alone says nothing."},
		{Symbol: "shop.Shop.Owner", Kind: godoc.KindField, Signature: "field Shop.Owner, Landlord string", Doc: "Owner is who runs it.",
			Names: []string{"Shop.Owner", "Shop.Landlord"}, Deprecated: true, Replacement: "Use Keeper."},
		{Symbol: "shop.Stall.Fold", Kind: godoc.KindMethod, Signature: "func (Stall) Fold()", Doc: "Fold packs the stall up.",
			Deprecated: true, Replacement: "Build a Shop."},
		{Symbol: "shop.Seller", Kind: godoc.KindType, Signature: "type Seller[T any] interface", Doc: "Seller is anything that sells."},
		{Symbol: "shop.Seller.Price", Kind: godoc.KindMethod, Signature: "func (Seller) Price(thing T) int", Doc: "Price says what a thing costs."},
		{Symbol: "shop.New", Kind: godoc.KindFunc, Signature: "func New[T ~string](name T) *Shop", Doc: "New opens a shop."},
		{Symbol: "shop.ErrClosed", Kind: godoc.KindVar, Signature: "var ErrClosed", Doc: "ErrClosed means that nobody is in.\n\nErrors of a shop."},
		{Symbol: "shop.Monday", Kind: godoc.KindConst, Signature: "const Monday, Tuesday", Names: []string{"Monday", "Tuesday"},
			Doc: "Days of the week.\n\nMonday: first"},
		{Symbol: "shop.Small", Kind: godoc.KindConst, Signature: "const Small, Large", Names: []string{"Small", "Large"},
			Doc: "Size constants.", Deprecated: true, Replacement: "Measure yourself."},
		{Symbol: "old.Do", Kind: godoc.KindFunc, Signature: "func Do()", Doc: "Do does it.", Deprecated: true, Replacement: "Use package shop."},
	} {
		e := found[c.Symbol]
		c.Package, c.Synopsis, c.File, c.Line = e.Package, e.Synopsis, e.File, e.Line
		if e.Symbol != c.Symbol || !equal(e, c) {
			t.Errorf("%s\n got %+v\nwant %+v", c.Symbol, e, c)
		}
		if pkg, _, _ := strings.Cut(c.Symbol, "."); e.Package != pkg || !strings.HasPrefix(e.Synopsis, "Package "+pkg) {
			t.Errorf("%s: package %q, synopsis %q", c.Symbol, e.Package, e.Synopsis)
		}
		if e.File == "" || e.Line == 0 || strings.Contains(e.File, "..") {
			t.Errorf("%s: declared at %q:%d", c.Symbol, e.File, e.Line)
		}
	}
}

func equal(a, b godoc.Entry) bool {
	names := slices.Equal(a.Names, b.Names)
	a.Names, b.Names = nil, nil
	return names && a.Symbol == b.Symbol && a.Kind == b.Kind && a.Signature == b.Signature && a.Doc == b.Doc &&
		a.Deprecated == b.Deprecated && a.Replacement == b.Replacement
}

func TestStandardLibrary(t *testing.T) {
	found := load(t, "")
	if len(found) < 6000 {
		t.Errorf("%d entries", len(found))
	}
	deprecated := 0
	for symbol, e := range found {
		if e.Deprecated {
			deprecated++
		}
		if strings.Contains(e.Package, "internal") || strings.HasPrefix(symbol, "cmd/") || strings.HasPrefix(symbol, "vendor/") {
			t.Errorf("%s is not for users", symbol)
		}
		if strings.Contains(e.Signature, "\n") || e.Signature == "" {
			t.Errorf("%s: signature %q", symbol, e.Signature)
		}
	}
	if deprecated < 100 {
		t.Errorf("%d deprecated", deprecated)
	}
	shutdown := found["net/http.Server.Shutdown"]
	if shutdown.Signature != "func (s *Server) Shutdown(ctx context.Context) error" || !strings.HasPrefix(shutdown.Doc, "Shutdown gracefully shuts down") {
		t.Errorf("%+v", shutdown)
	}
	if e := found["io/ioutil.ReadFile"]; !e.Deprecated || !strings.Contains(e.Replacement, "os.ReadFile") || strings.Contains(e.Doc, "Deprecated") {
		t.Errorf("%+v", e)
	}
	if _, ok := found["builtin.append"]; !ok {
		t.Error("no builtin.append")
	}
}

func TestLoadIsDeterministic(t *testing.T) {
	s := open(t, "testdata/goroot")
	first, err := s.Load(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	second, err := s.Load(context.Background(), func(done, total int) {
		calls++
		if done != calls || done > total {
			t.Errorf("progress %d of %d in call %d", done, total, calls)
		}
	})
	if err != nil || !slices.EqualFunc(first, second, equal) {
		t.Errorf("not the same twice: %v", err)
	}
	if calls == 0 {
		t.Error("no progress")
	}
}

func TestOpen(t *testing.T) {
	if _, err := godoc.Open(t.TempDir()); !errors.Is(err, godoc.ErrNoSource) {
		t.Errorf("error %v", err)
	}
	s := open(t, "testdata/goroot")
	if s.Version() != "go1.99.1" || s.Root() != "testdata/goroot" {
		t.Errorf("version %q at %q", s.Version(), s.Root())
	}
}

func TestLoadFails(t *testing.T) {
	broken := t.TempDir()
	dir := filepath.Join(broken, "src", "broken")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "broken.go"), []byte("package broken\nfunc ("), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, broken).Load(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "broken.go") {
		t.Errorf("error %v does not name the file", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := open(t, "testdata/goroot").Load(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
