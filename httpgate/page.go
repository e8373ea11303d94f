// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"net/http"
	"regexp"
)

// page is what a link to an approval opens. It shows nothing of the approval:
// a link is no credential. It says how to see and decide it.
func (f *Front) page(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !approvalID.MatchString(id) {
		problem(w, http.StatusNotFound, "There is no such approval.")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = f.waiting.Execute(w, id)
}

var approvalID = regexp.MustCompile(`^[a-z0-9]{8,64}$`)

const pageText = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Approval</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}code{user-select:all}</style>
<h1>An agent's call waits for a person</h1>
<p>To see what it would do, and then to approve or reject it, with your own key:</p>
<pre><code>toolverdict approvals show {{.}}</code>
<code>toolverdict approvals approve {{.}}</code>
<code>toolverdict approvals reject {{.}} --reason "…"</code></pre>
<h1 lang="zh">有一次调用等待人工批准</h1>
<p lang="zh">请用您自己的密钥运行上面的命令：先查看它会做什么，再批准或拒绝。</p>
</html>
`
