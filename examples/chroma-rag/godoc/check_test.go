package godoc_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/repute-go/repute/examples/chroma-rag/godoc"
)

func TestDeprecated(t *testing.T) {
	fixture := open(t, "testdata/goroot")
	for symbol, want := range map[string]bool{
		"old": true, "old.Do": true, "shop": false, "shop.Shop": false, "shop.Shop.Sell": true, "shop.Shop.Offer": false,
		"shop.Shop.Owner": true, "shop.Shop.Landlord": true, "shop.Shop.Name": false, "shop.Shop.Undocumented": false,
		"shop.Stall": true, "shop.Stall.Fold": true, "shop.Seller.Price": false, "shop.Seller.Thing": false,
		"shop.Kiosk.Ring": false, "shop.Small": true, "shop.Large": true, "shop.Sunday": false, "shop.ErrSoldOut": false,
	} {
		got, err := fixture.Deprecated(symbol)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", symbol, got, err, want)
		}
	}
}

func TestDeprecatedUnknown(t *testing.T) {
	fixture := open(t, "testdata/goroot")
	for _, symbol := range []string{
		"", ".", "/", "nowhere", "nowhere.X", "shop.Nothing", "shop.Shop.Nothing", "shop.Nothing.Sell", "shop.Sell",
		"../goroot/src/shop.Shop", "/etc", "shop/internal/deep.X", "cmd/tool.X", "internal/secret.X", "vendor/dep.X",
		"shop/testdata.X", "shop\x00.Shop", "empty", "empty.X", `shop\shop.Shop`,
	} {
		if got, err := fixture.Deprecated(symbol); !errors.Is(err, godoc.ErrUnknownSymbol) {
			t.Errorf("%q: %v, %v", symbol, got, err)
		}
	}
}

// The entries and the check read the sources by different ways and must agree:
// on half of the deprecated symbols, and on a sample of the others.
func TestEntriesAgreeWithTheCheck(t *testing.T) {
	library := open(t, "")
	found := load(t, "")
	for i, symbol := range slices.Sorted(maps.Keys(found)) {
		e := found[symbol]
		if i%100 != 0 && (!e.Deprecated || i%2 != 0) {
			continue
		}
		got, err := library.Deprecated(symbol)
		if err != nil || got != e.Deprecated {
			t.Errorf("%s: check says %v, %v; entry says %v", symbol, got, err, e.Deprecated)
		}
	}
}

func FuzzDeprecated(f *testing.F) {
	fixture, err := godoc.Open("testdata/goroot")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"shop.Shop.Sell", "old", "../x.Y", "a/b/c.D.E.F", "shop."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, symbol string) {
		if got, err := fixture.Deprecated(symbol); err != nil && got {
			t.Errorf("%q: deprecated and %v", symbol, err)
		}
	})
}
