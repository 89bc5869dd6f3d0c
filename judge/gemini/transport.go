package gemini

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// largestResponse bounds what is read of a response, in bytes, after decompression.
const largestResponse = 4 << 20

// longestDelay bounds what a server may ask to wait.
const longestDelay = 24 * time.Hour

// exchange is what the transport saw of a request that the SDK does not tell.
type exchange struct {
	status     int
	retryAfter time.Duration
}

type exchangeKey struct{}

// transport notes status and Retry-After in the exchange of the request's context and bounds the response.
type transport struct {
	next http.RoundTripper
	now  func() time.Time
}

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if x, ok := req.Context().Value(exchangeKey{}).(*exchange); ok {
		x.status = resp.StatusCode
		x.retryAfter = retryAfter(resp.Header.Get("Retry-After"), t.now())
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: largestResponse}
	return resp, nil
}

// retryAfter reads a Retry-After header: seconds or a date (RFC 9110). 0 if there is none to read.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 32); err == nil {
		return boundDelay(time.Duration(seconds) * time.Second)
	}
	if at, err := http.ParseTime(header); err == nil {
		return boundDelay(at.Sub(now))
	}
	return 0
}

func boundDelay(d time.Duration) time.Duration { return min(max(d, 0), longestDelay) }

var errTooLarge = errors.New("the response is too large")

// boundedBody fails where a body goes on after left bytes.
type boundedBody struct {
	io.ReadCloser
	left int
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("%w: over %d bytes", errTooLarge, largestResponse)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// guarded returns a copy of client with the transport above and without redirects.
func guarded(client *http.Client, now func() time.Time) *http.Client {
	c := *client
	next := c.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	c.Transport = transport{next: next, now: now}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// watched returns a context whose requests report to the returned exchange.
func watched(ctx context.Context) (context.Context, *exchange) {
	x := &exchange{}
	return context.WithValue(ctx, exchangeKey{}, x), x
}
