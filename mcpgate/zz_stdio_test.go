package mcpgate_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/upstream/stdio"
	"github.com/toolverdict/toolverdict/mcpgate"
)

func TestServeStdioForConformance(t *testing.T) {
	up := os.Getenv("UPCMD")
	if up == "" {
		return
	}
	b, err := stdio.New(stdio.Config{Name: "up", Command: []string{up}, Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, "", setup{backend: b, front: func(c *mcpgate.Config) {
		c.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
		c.Authenticate = func(string) (toolverdict.Subject, bool) { return subjects()[aliceKey], true }
	}})
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		q.Header.Set("Authorization", "Bearer x")
		r.front.ServeHTTP(w, q)
	}))
	os.WriteFile(os.Getenv("URLFILE"), []byte(ts.URL+"/mcp/up"), 0o600)
	for {
		if _, err := os.Stat(os.Getenv("URLFILE")); err != nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}
