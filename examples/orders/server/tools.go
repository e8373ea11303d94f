// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/examples/orders/shop"
)

// toolsJSON holds the definitions as clients see them. They are data: schemas
// written by hand say more than types can.
//
//go:embed tools.json
var toolsJSON []byte

type (
	orderIn struct {
		OrderID string `json:"order_id"`
	}
	userIn struct {
		UserID string `json:"user_id"`
	}
	cityIn struct {
		City string `json:"city"`
	}
	refundIn struct {
		OrderID string `json:"order_id"`
		Amount  string `json:"amount"`
	}
	deleteUserIn struct {
		UserID  string `json:"user_id"`
		Confirm bool   `json:"confirm"`
	}
	ordersIn struct {
		OrderIDs []string `json:"order_ids"`
	}
	mailIn struct {
		To      []string `json:"to"`
		Cc      []string `json:"cc"`
		Bcc     []string `json:"bcc"`
		Subject string   `json:"subject"`
		Body    string   `json:"body"`
	}
	shellIn struct {
		Command string `json:"command"`
		Workdir string `json:"workdir"`
	}
	deletedOut struct {
		Deleted []string `json:"deleted"`
	}
)

// said pairs a result with one sentence about it for a reader.
type said[Out any] struct {
	out  Out
	text string
}

func newServer(s *shop.Shop, log *slog.Logger) (*mcp.Server, error) {
	defs, err := toolDefinitions()
	if err != nil {
		return nil, err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "orders-example", Title: "Orders example", Version: "1.0.0"},
		&mcp.ServerOptions{
			// Tools are all there is: no log messages, and a list that never changes.
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
			Instructions: "A made-up shop. Money is EUR as decimal strings. To find out whether an order can be cancelled, use query_order: cancel_order cancels.",
		})
	h := handlers{server: server, defs: defs, log: log}
	addReaders(&h, s)
	addWriters(&h, s)
	return server, h.done()
}

func toolDefinitions() (map[string]*mcp.Tool, error) {
	var list []*mcp.Tool
	if err := json.Unmarshal(toolsJSON, &list); err != nil {
		return nil, fmt.Errorf("read tool definitions: %v", err)
	}
	defs := make(map[string]*mcp.Tool, len(list))
	for _, t := range list {
		defs[t.Name] = t
	}
	return defs, nil
}

func addReaders(h *handlers, s *shop.Shop) {
	add(h, "query_order", func(ctx context.Context, in orderIn) (said[shop.Order], error) {
		o, err := s.Order(ctx, in.OrderID)
		return said[shop.Order]{o, fmt.Sprintf("Order %s (%d x %s) is %s. Paid %s of %s %s, refunded %s.",
			o.ID, o.Quantity, o.Item, o.State, o.Paid, o.Total, o.Currency, o.Refunded)}, err
	})
	add(h, "query_user", func(ctx context.Context, in userIn) (said[shop.User], error) {
		u, err := s.User(ctx, in.UserID)
		return said[shop.User]{u, fmt.Sprintf("User %s is %s and has %d orders, %d of them open.", u.ID, u.Status, len(u.Orders), u.OpenOrders)}, err
	})
	add(h, "get_weather", func(_ context.Context, in cityIn) (said[shop.Weather], error) {
		w, err := shop.CityWeather(in.City)
		return said[shop.Weather]{w, fmt.Sprintf("%s: %s, %d °C. %s", w.City, w.Condition, w.Temperature, w.Note)}, err
	})
}

func addWriters(h *handlers, s *shop.Shop) {
	add(h, "cancel_order", func(ctx context.Context, in orderIn) (said[shop.Cancellation], error) {
		c, err := s.CancelOrder(ctx, in.OrderID)
		return said[shop.Cancellation]{c, fmt.Sprintf("Order %s is cancelled. %s %s can be refunded.", c.OrderID, c.Refundable, c.Currency)}, err
	})
	add(h, "refund", func(ctx context.Context, in refundIn) (said[shop.Refund], error) {
		r, err := s.Refund(ctx, in.OrderID, in.Amount)
		return said[shop.Refund]{r, fmt.Sprintf("Refunded %s %s on order %s. %s is left to refund.", r.Amount, r.Currency, r.OrderID, r.Refundable)}, err
	})
	add(h, "delete_user", func(ctx context.Context, in deleteUserIn) (said[shop.User], error) {
		u, err := s.DeleteUser(ctx, in.UserID, in.Confirm)
		return said[shop.User]{u, fmt.Sprintf("User %s is deleted: name and address are erased.", u.ID)}, err
	})
	add(h, "batch_delete_orders", func(ctx context.Context, in ordersIn) (said[deletedOut], error) {
		ids, err := s.DeleteOrders(ctx, in.OrderIDs)
		return said[deletedOut]{deletedOut{ids}, fmt.Sprintf("%d orders are deleted.", len(ids))}, err
	})
	add(h, "send_email", func(ctx context.Context, in mailIn) (said[shop.Sent], error) {
		m, err := s.SendMail(ctx, shop.Mail{To: in.To, Cc: in.Cc, Bcc: in.Bcc, Subject: in.Subject, Body: in.Body})
		return said[shop.Sent]{m, fmt.Sprintf("The message to %d recipients is in the outbox as %s.", m.Recipients, m.File)}, err
	})
	add(h, "execute_shell", func(ctx context.Context, in shellIn) (said[shop.ShellResult], error) {
		r, err := s.Shell(ctx, in.Command, in.Workdir)
		return said[shop.ShellResult]{r, fmt.Sprintf("The command ended with exit code %d.", r.ExitCode)}, err
	})
}

// handlers registers each defined tool once, and remembers what went wrong.
type handlers struct {
	server *mcp.Server
	defs   map[string]*mcp.Tool
	log    *slog.Logger
	errs   []error
}

func add[In, Out any](h *handlers, name string, f func(context.Context, In) (said[Out], error)) {
	def, ok := h.defs[name]
	if !ok {
		h.errs = append(h.errs, fmt.Errorf("register tool %q: it has no definition: add it to tools.json", name))
		return
	}
	delete(h.defs, name)
	mcp.AddTool(h.server, def, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		res, err := f(ctx, in)
		if err != nil {
			return nil, res.out, outward(h.log, name, err)
		}
		data, err := json.Marshal(res.out)
		if err != nil {
			return nil, res.out, outward(h.log, name, err)
		}
		// The sentence is for people, the JSON for clients that know no structured content.
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: res.text}, &mcp.TextContent{Text: string(data)},
		}}, res.out, nil
	})
}

func (h *handlers) done() error {
	for name := range h.defs {
		h.errs = append(h.errs, fmt.Errorf("register tool %q: nothing runs it: remove it from tools.json", name))
	}
	return errors.Join(h.errs...)
}

// outward lets a business refusal through as it is, and keeps the detail of a
// fault in the log: a caller has no use for it and might be a stranger.
func outward(log *slog.Logger, tool string, err error) error {
	if e, ok := errors.AsType[*shop.Error](err); ok {
		return e
	}
	log.Error("tool failed", "tool", tool, "error", err)
	return errors.New("internal_error: the shop could not do it; look at the server's log")
}
