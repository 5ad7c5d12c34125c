// The four-tool server on the official Go SDK.
//
//	server stdio | server http PORT [stateless]
//
// Over HTTP the SDK speaks the revision of 2026-07-28 only where sessions are switched off: "stateless" does that and
// serves both eras; without it, as by the SDK's default, there are sessions and the older revisions only.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoInput struct {
	Message string `json:"message"`
}

type addInput struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type listInput struct {
	N int `json:"n"`
}

type sleepInput struct {
	Ms int `json:"ms"`
}

type item struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Done bool   `json:"done"`
}

// addTool registers a tool that answers with one text.
func addTool[Input any](server *mcp.Server, name, description string, answer func(context.Context, Input) string) {
	tool := &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}
	mcp.AddTool(server, tool, func(ctx context.Context, _ *mcp.CallToolRequest, input Input) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answer(ctx, input)}}}, nil, nil
	})
}

func fourTools() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk-go", Version: "1.8.0"}, nil)
	addTool(server, "echo", "Says the message back", func(_ context.Context, input echoInput) string {
		return "Echo: " + input.Message
	})
	addTool(server, "add", "Adds two numbers", func(_ context.Context, input addInput) string {
		return strconv.FormatFloat(input.A+input.B, 'g', -1, 64)
	})
	addTool(server, "list", "Lists n items", func(_ context.Context, input listInput) string {
		items := make([]item, max(input.N, 0))
		for i := range items {
			items[i] = item{ID: i, Name: fmt.Sprintf("item %d", i)}
		}
		text, _ := json.Marshal(items)
		return string(text)
	})
	addTool(server, "sleep", "Sleeps for ms milliseconds", func(ctx context.Context, input sleepInput) string {
		select {
		case <-time.After(time.Duration(input.Ms) * time.Millisecond):
		case <-ctx.Done():
		}
		return fmt.Sprintf("slept %d ms", input.Ms)
	})
	return server
}

func serveHTTP(port string, stateless bool) error {
	server := fourTools()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: stateless})
	http.Handle("/mcp", handler)
	return http.ListenAndServe("127.0.0.1:"+port, nil)
}

func main() {
	words := append(os.Args[1:], "", "", "")
	port := words[1]
	if port == "" {
		port = os.Getenv("PORT")
	}
	var err error
	switch {
	case words[0] == "stdio":
		err = fourTools().Run(context.Background(), &mcp.StdioTransport{})
	case words[0] == "http" && port != "":
		err = serveHTTP(port, words[2] == "stateless")
	default:
		err = fmt.Errorf("usage: server stdio | server http PORT [stateless]")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
