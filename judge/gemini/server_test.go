package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/repute-go/repute/judge"
	"github.com/repute-go/repute/judge/gemini"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key looks like a real one, so that it must be found wherever it leaks.
const key = "AIzaSyD-0123456789abcdefghijklmnopqrstu"

// reply is one answer of the server.
type reply struct {
	status int
	header http.Header
	body   string
	hang   bool   // until the client goes away
	then   func() // called when the request is in
}

// server plays replies in order, the last one for ever, and keeps what it was asked.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	replies []reply
	asked   []request
}

type request struct {
	path, key string
	body      map[string]any
}

func serve(t *testing.T, replies ...reply) *server {
	t.Helper()
	s := &server{replies: replies}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	req := request{path: r.URL.Path, key: r.Header.Get("x-goog-api-key")}
	_ = json.Unmarshal(raw, &req.body)
	s.mu.Lock()
	s.asked = append(s.asked, req)
	next := s.replies[0]
	if len(s.replies) > 1 {
		s.replies = s.replies[1:]
	}
	s.mu.Unlock()
	if next.then != nil {
		next.then()
	}
	if next.hang {
		<-r.Context().Done()
		return
	}
	for name, values := range next.header {
		w.Header()[name] = values
	}
	w.WriteHeader(max(next.status, 200)) // 0 is 200
	io.WriteString(w, next.body)
}

// play replaces the replies.
func (s *server) play(replies ...reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = replies
}

func (s *server) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// newJudge makes a judge that asks s and never really sleeps.
func newJudge(t *testing.T, s *server, change ...func(*gemini.Options)) (*gemini.Judge, *clock) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	opts := gemini.Options{APIKey: key, BaseURL: s.URL, HTTPClient: client}
	for _, c := range change {
		c(&opts)
	}
	j, err := gemini.New(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{}
	j.SetClock(c.now, c.sleep)
	return j, c
}

// clock is real time plus what was slept.
type clock struct {
	mu    sync.Mutex
	slept []time.Duration
	total time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.total)
}

func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slept = append(c.slept, d)
	c.total += d
	return ctx.Err()
}

// says is a response in which the model answers text.
func says(text string) reply {
	return candidates(map[string]any{
		"content":      map[string]any{"role": "model", "parts": []any{map[string]any{"text": text}}},
		"finishReason": "STOP",
	})
}

func candidates(list ...any) reply {
	b, err := json.Marshal(map[string]any{
		"candidates":    list,
		"modelVersion":  "gemini-3.5-flash-lite-001",
		"usageMetadata": map[string]any{"promptTokenCount": 100, "candidatesTokenCount": 20, "thoughtsTokenCount": 5},
	})
	if err != nil {
		panic(err)
	}
	return reply{body: string(b)}
}

// failure is an error as Google writes it; delay may be empty.
func failure(status int, name, delay string) reply {
	details := "[]"
	if delay != "" {
		details = fmt.Sprintf(`[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":%q}]`, delay)
	}
	return reply{status: status, body: fmt.Sprintf(
		`{"error":{"code":%d,"message":"no, not with %s","status":%q,"details":%s}}`, status, key, name, details)}
}

const good = `{"reason":"borne out","support":[{"document":1,"share":0.9},{"document":2,"share":0}],"sufficiency":1,"score":0.8}`

func aCase() judge.Case {
	return judge.Case{
		Question: "In what country is Normandy?",
		Answer:   "France",
		Documents: []judge.Document{
			{ID: "doc-7", Title: "Normandy", Text: "Normandy is a region in France."},
			{ID: "doc-9", Text: "Apples grow in Normandy."},
		},
	}
}
