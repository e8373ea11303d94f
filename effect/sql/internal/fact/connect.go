// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package fact

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict"
)

// Connect says that the database server connects to where a connection string
// of PostgreSQL points, a list of keys and values or a URL. What it does not say
// is not known.
func (s *Statement) Connect(conninfo string) {
	e := toolverdict.Effect{Kind: toolverdict.EffectConnect, Scheme: "postgresql", Detail: "from the database server"}
	host, port := endpoint(conninfo)
	if a, err := netip.ParseAddr(host); err == nil {
		e.IP = a.Unmap().String()
	}
	e.Host = strings.TrimSuffix(strings.ToLower(host), ".")
	e.Port, _ = strconv.Atoi(port) // 0 where it is not known
	s.Other(e)
}

// endpoint finds host and port, where there is one of each.
func endpoint(conninfo string) (host, port string) {
	if strings.HasPrefix(conninfo, "postgres://") || strings.HasPrefix(conninfo, "postgresql://") {
		u, err := url.Parse(conninfo)
		if err != nil || strings.Contains(u.Host, ",") || u.Query().Has("host") || u.Query().Has("hostaddr") || u.Query().Has("service") {
			return "", ""
		}
		return u.Hostname(), u.Port()
	}
	seen := map[string]string{}
	for field := range strings.FieldsSeq(conninfo) {
		key, value, ok := strings.Cut(field, "=")
		_, repeated := seen[key]
		if !ok || key == "" || value == "" || repeated || strings.ContainsAny(value, `'\,=`) {
			return "", ""
		}
		seen[key] = value
	}
	if _, service := seen["service"]; service {
		return "", ""
	}
	if seen["hostaddr"] != "" {
		return seen["hostaddr"], seen["port"]
	}
	return seen["host"], seen["port"]
}
