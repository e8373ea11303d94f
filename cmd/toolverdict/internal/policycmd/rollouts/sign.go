// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rollouts

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policyfiles"
	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/internal/secret"
)

func (a *commands) keygen() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "keygen --out FILE",
		Short: "Make a key to sign policies with: the private one in a new file, the public one on standard output",
		Args:  cobra.NoArgs,
	}
	c.Flags().StringVar(&out, "out", "", "new `file` for the private key")
	_ = c.MarkFlagRequired("out")
	c.RunE = func(*cobra.Command, []string) error {
		key, err := bundle.Generate(rand.Reader)
		if err != nil {
			return err
		}
		if err := secret.WriteNew(out, []byte(key.Reveal()+"\n")); err != nil {
			if errors.Is(err, fs.ErrExist) {
				return cli.Usage("write the key: %s is there already: name another file", out)
			}
			return cli.Usage("write the key: %v", err)
		}
		fmt.Fprintf(a.Stderr, "wrote the private key to %s: keep it where no agent and no gate is\nwrite the public key under bundle.keys of the gates' configuration:\n", cli.Line(out))
		_, err = fmt.Fprintln(a.Stdout, key.Public())
		return err
	}
	return c
}

// signing are the flags of one signature.
type signing struct {
	name, out, expires string
	keys               []string
	serial             int64
}

func (a *commands) sign() *cobra.Command {
	var s signing
	c := &cobra.Command{
		Use:   "sign FILE|FOLDER… --name NAME --key FILE --out BUNDLE",
		Short: "Put policy files under one signature, for gates to fetch",
		Long: `Put policy files under one signature, for gates to fetch.

Of a folder its policies are taken, as 'policy check FOLDER' takes them. The files
are loaded as a gate would, and not signed where they are wrong. Where
BUNDLE is there already, it must be an earlier bundle of the same name and keys:
its serial plus one is taken, unless --serial names a higher one.`,
		Example: `  toolverdict policy sign org.yaml --name prod --key org.key --out prod.bundle --expires 30d`,
		Args:    cobra.MinimumNArgs(1),
	}
	f := c.Flags()
	f.StringVar(&s.name, "name", "", "`name` of the bundle, as the gates' configuration has it")
	f.StringArrayVar(&s.keys, "key", nil, "`file` of a private key; may be repeated while a key is replaced")
	f.StringVar(&s.out, "out", "", "`file` to write, or to replace")
	f.Int64Var(&s.serial, "serial", 0, "`number` higher than that of every earlier bundle (else the next one)")
	f.StringVar(&s.expires, "expires", "", "end: a `time` such as 2026-12-31T00:00:00Z, or from now, such as 30d or 12h (else it has none)")
	for _, needed := range []string{"name", "key", "out"} {
		_ = c.MarkFlagRequired(needed)
	}
	c.RunE = func(_ *cobra.Command, files []string) error { return a.runSign(&s, files) }
	return c
}

func (a *commands) runSign(s *signing, paths []string) error {
	keys, err := readKeys(s.keys)
	if err != nil {
		return err
	}
	b := bundle.Bundle{Name: s.name, Created: a.Now().UTC().Truncate(time.Second)}
	if b.Expires, err = a.end(s.expires); err != nil {
		return err
	}
	if b.Serial, err = s.next(keys); err != nil {
		return err
	}
	if b.Files, err = policyfiles.Bundled(paths...); err != nil {
		return err
	}
	version, hash, err := policyfiles.Identity(b.Files)
	if err != nil {
		return cli.Usage("the policy is not signed:\n%v", err)
	}
	envelope, err := bundle.Sign(b, keys...)
	if err != nil {
		return cli.Usage("%v", err)
	}
	if err := policyfiles.Replace(s.out, envelope); err != nil {
		return cli.Usage("write the bundle: %v", err)
	}
	_, err = fmt.Fprintf(a.Stdout, "signed %s, serial %d: policy %s, hash %s\n", b.Name, b.Serial, cli.Line(version), hash)
	return err
}

func readKeys(paths []string) ([]bundle.PrivateKey, error) {
	var keys []bundle.PrivateKey
	for _, path := range paths {
		b, err := secret.ReadFile(path)
		if err != nil {
			return nil, cli.Usage("read key: %v", err)
		}
		k, err := bundle.ParsePrivateKey(string(b))
		if err != nil {
			return nil, cli.Usage("%v: %s", err, path)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// end reads when a bundle ends.
func (a *commands) end(text string) (time.Time, error) {
	now := a.Now().UTC().Truncate(time.Second)
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.UTC().Truncate(time.Second), nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 36500 {
			return now.Add(time.Duration(n) * 24 * time.Hour), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= time.Second {
		return now.Add(d).Truncate(time.Second), nil
	}
	return time.Time{}, cli.Usage("--expires: a time such as 2026-12-31T00:00:00Z is wanted, or from now on such as 30d or 12h")
}

// next is the serial to sign with: higher than that of the bundle that is
// replaced. One that these keys did not sign is not ours to replace.
func (s *signing) next(keys []bundle.PrivateKey) (int64, error) {
	old, err := os.ReadFile(s.out)
	if errors.Is(err, fs.ErrNotExist) {
		return max(s.serial, 1), nil
	}
	if err != nil {
		return 0, cli.Usage("read the earlier bundle: %v", err)
	}
	trusted := make([]bundle.PublicKey, len(keys))
	for i, k := range keys {
		trusted[i] = k.Public()
	}
	before, err := bundle.Open(old, trusted)
	switch {
	case err != nil:
		return 0, cli.Usage("%s is there, and is no bundle that these keys signed: %v: name another file", s.out, err)
	case before.Name != s.name:
		return 0, cli.Usage("%s is a bundle for %q: name another file", s.out, before.Name)
	case s.serial == 0:
		return before.Serial + 1, nil
	case s.serial <= before.Serial:
		return 0, cli.Usage("--serial: %s has serial %d already: gates refuse one that is not higher", s.out, before.Serial)
	}
	return s.serial, nil
}

func (a *commands) verify() *cobra.Command {
	var pubs []string
	var name string
	c := &cobra.Command{
		Use:   "verify BUNDLE",
		Short: "Check the signature of a bundle and say what is in it",
		Long: `Check the signature of a bundle and say what is in it; "-" is standard input.

Without --pub, keys and name are those of the configuration. A bundle that no
trusted key signed, that is for another gate or over, ends with exit code 3.
Whether a gate accepted a newer one is that gate's to know.`,
		Args: cli.One("the file of a bundle"),
	}
	c.Flags().StringArrayVar(&pubs, "pub", nil, "public `key`, as keygen printed it; may be repeated")
	c.Flags().StringVar(&name, "name", "", "`name` that the bundle must carry")
	c.RunE = func(_ *cobra.Command, args []string) error {
		trusted, name, err := a.trusted(pubs, name)
		if err != nil {
			return err
		}
		envelope, err := a.read(args[0])
		if err != nil {
			return cli.Usage("read bundle: %v", err)
		}
		b, err := bundle.Open(envelope, trusted)
		switch {
		case err != nil:
			return &cli.Error{Code: cli.ExitDenied, Text: err.Error()}
		case name != "" && b.Name != name:
			return &cli.Error{Code: cli.ExitDenied, Text: fmt.Sprintf("the bundle is for %q and not for %q", b.Name, name)}
		case !b.Expires.IsZero() && !a.Now().Before(b.Expires):
			return &cli.Error{Code: cli.ExitDenied, Text: "the bundle ended at " + b.Expires.Format(time.RFC3339)}
		}
		return a.verified(b)
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

func (a *commands) read(path string) ([]byte, error) {
	from := a.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	return io.ReadAll(io.LimitReader(from, bundle.MaxBytes+1))
}

// trusted are the keys that count, and the name that is wanted.
func (a *commands) trusted(pubs []string, name string) ([]bundle.PublicKey, string, error) {
	var keys []bundle.PublicKey
	for _, text := range pubs {
		k, err := bundle.ParsePublicKey(text)
		if err != nil {
			return nil, "", cli.Usage("--pub: %v", err)
		}
		keys = append(keys, k)
	}
	if len(keys) > 0 {
		return keys, name, nil
	}
	conf, err := a.Configuration(true)
	if err != nil {
		return nil, "", err
	}
	if conf.Bundle == nil {
		return nil, "", cli.Usage("the configuration names no bundle: give the public key with --pub")
	}
	if name == "" {
		name = conf.Bundle.Name
	}
	return conf.Bundle.PublicKeys(), name, nil
}

// verifiedBundle is what verify says.
type verifiedBundle struct {
	Name    string    `json:"name"`
	Serial  int64     `json:"serial"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	Key     string    `json:"key"`
	Files   []string  `json:"files"`
	Version string    `json:"version"`
	Hash    string    `json:"hash"`
}

func (a *commands) verified(b *bundle.Signed) error {
	version, hash, err := policyfiles.Identity(b.Files)
	if err != nil {
		return &cli.Error{Code: cli.ExitDenied, Text: "the signature is good, but no gate could use the policy:\n" + err.Error()}
	}
	out := verifiedBundle{b.Name, b.Serial, b.Created, b.Expires, b.Key.ID(), nil, version, hash}
	for _, f := range b.Files {
		out.Files = append(out.Files, f.Name)
	}
	if a.JSON() {
		return cli.JSON(a.Stdout, out)
	}
	rows := [][]string{
		{"name", out.Name}, {"serial", strconv.FormatInt(out.Serial, 10)}, {"created", out.Created.Format(time.RFC3339)}, {"expires", moment(out.Expires)},
		{"key", out.Key}, {"files", strings.Join(out.Files, ", ")}, {"policy", out.Version}, {"hash", out.Hash},
	}
	fmt.Fprintln(a.Stdout, "OK")
	return cli.Table(a.Stdout, rows)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.RFC3339)
}
