// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/toolverdict/toolverdict/catalog"
)

// KnownTools is the catalog that the configuration, its catalog files and the
// pins of the data folder tell of, without any policy; nil without a
// configuration. It starts no server.
func KnownTools(ctx context.Context, o Options) (*catalog.Catalog, error) {
	if o.Config == nil {
		return nil, nil //nolint:nilnil // no configuration tells of no tool, which is not a fault
	}
	kept, err := readKept(ctx, o)
	if err != nil {
		return nil, err
	}
	f, err := readFiles(o.Config.Catalogs, nil)
	if err != nil {
		return nil, err
	}
	in := catalog.Input{Overlays: f.overlays, Now: o.Now()}
	for _, name := range slices.Sorted(maps.Keys(o.Config.Upstreams)) {
		u := &upstream{name: name, conf: o.Config.Upstreams[name]}
		s := u.server(reviewed(catalog.Server{Name: name}, kept.pins))
		s.Local, s.Pinning = len(s.Announced) == 0, catalog.PinFirstSight
		in.Servers = append(in.Servers, s)
	}
	cat, _, err := catalog.Build(in)
	if err != nil {
		return nil, fmt.Errorf("build catalog:\n%w", err)
	}
	return cat, nil
}
