// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// A real gate for the tests of one file, and one in between that spoils its answers.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { Gate } from "@toolverdict/client";

const root = join(import.meta.dirname, "..", "..", "..");
const program = join(root, "bin", "toolverdict");

/** A running gate. */
export class RealGate {
  private constructor(
    readonly url: string,
    readonly data: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<RealGate> {
    if (!existsSync(program)) throw new Error("bin/toolverdict is missing: run make build");
    const data = mkdtempSync(join(tmpdir(), "toolverdict-client-"));
    const config = join(import.meta.dirname, "..", "test", "gate", "toolverdict.yaml");
    const child = spawn(program, ["serve", "--config", config, "--data", data, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    child.stderr.on("data", (b: Buffer) => { log += b.toString(); });
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const at = /^listening on (http:\S+)/.exec(line)?.[1];
        if (at) resolve(at);
      });
      child.once("exit", () => { reject(new Error(`the gate ended: ${log}`)); });
    });
    return new RealGate(url, data, child);
  }

  key(subject: string): string { return readFileSync(join(this.data, "keys", subject), "utf8").trim(); }
  as(subject: string, more: { url?: string; timeout?: number } = {}): Gate { return new Gate({ url: this.url, key: this.key(subject), ...more }); }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill(signal);
      await once(this.child, "exit");
    }
  }

  async remove(): Promise<void> {
    await this.end("SIGKILL");
    rmSync(this.data, { recursive: true, force: true });
  }
}

/** One gate for a file of tests. */
export async function gateForTests(): Promise<RealGate> {
  const gate = await RealGate.start();
  after(() => gate.remove());
  return gate;
}

/** What stands in between does with an answer of the gate. */
export type Spoil = (answer: string, response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** Stands between a client and a gate, and spoils the answers to one path, or to some. */
export async function between(gate: RealGate, path: string | readonly string[], spoil: Spoil): Promise<{ url: string; seen: string[]; close(): Promise<void> }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      seen.push(`${request.method} ${request.url}`);
      const answer = await fetch(gate.url + request.url!, {
        method: request.method!, headers: { Authorization: request.headers.authorization ?? "", "Content-Type": "application/json" },
        ...(request.method === "GET" ? {} : { body: Buffer.concat(parts) }),
      });
      const text = await answer.text();
      if (typeof path === "string" ? request.url === path : path.includes(request.url!)) { await spoil(text, response, request); return; }
      response.writeHead(answer.status, { "Content-Type": answer.headers.get("Content-Type") ?? "" }).end(text);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen,
    close: async () => { server.closeAllConnections(); server.close(); await once(server, "close"); },
  };
}

/** Answers as a gate does. */
export function json(response: ServerResponse, text: string, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(text);
}

/** Every way in which what answers may be no gate, by name. None of them is leave. */
export const spoiled: Record<string, Spoil> = {
  "a misspelt verdict": (a, r) => json(r, a.replace('"verdict":"allow"', '"verdict":"Allow"')),
  "another word": (a, r) => json(r, a.replace('"verdict":"allow"', '"verdict":"approved"')),
  "a verdict that is true": (a, r) => json(r, a.replace('"verdict":"allow"', '"verdict":true')),
  "a verdict in a list": (a, r) => json(r, a.replace('"verdict":"allow"', '"verdict":["allow"]')),
  "no verdict": (a, r) => json(r, a.replace('"verdict":"allow",', "")),
  "a verdict in capitals beside": (a, r) => json(r, a.replace('"verdict":"allow"', '"Verdict":"allow"')),
  "two verdicts": (a, r) => json(r, a.replace('"verdict":"allow"', '"verdict":"deny","verdict":"allow"')),
  "two verdicts, one escaped": (a, r) => json(r, a.replace('"verdict":"allow"', '"verdict":"deny","v\\u0065rdict":"allow"')),
  "allow without a claim": (a, r) => json(r, a.replace(/"claim":\{.*?"deadline":"[^"]*"[^}]*\},?/, "")),
  "a claim without a token": (a, r) => json(r, a.replace(/"token":"[^"]*"/, '"token":""')),
  "a claim without an id": (a, r) => json(r, a.replace(/"claim":\{"id":"[^"]*"/, '"claim":{"id":""')),
  "a claim without a digest": (a, r) => json(r, a.replace(/"digest":"[^"]*",?/, "")),
  "a claim without a deadline": (a, r) => json(r, a.replace(/"deadline":"[^"]*"/, '"deadline":"soon"')),
  "arguments that are no object": (a, r) => json(r, a.replace(/"arguments":\{[^}]*\}/, '"arguments":"{}"')),
  "other arguments": (a, r) => json(r, a.replace(/"arguments":\{[^}]*\}/, '"arguments":{"id":"somebody else"}')),
  "an answer to another call": (a, r) => json(r, a.replace(/"id":"[^"]*"/, '"id":"another"')),
  "another tool": (a, r) => json(r, a.replace(/"tool":"app\/[a-z]*"/, '"tool":"app/wipe"')),
  "allow with an error": (a, r) => json(r, a.replace(/"success":true/, '"success":false,"error":{"code":"POLICY_DENIED","message":"no","retryable":false}')),
  "allow with an error beside success": (a, r) => json(r, a.replace(/"success":true/, '"success":true,"error":{"code":"POLICY_DENIED","message":"no","retryable":false}')),
  "allow without success": (a, r) => json(r, a.replace(/"success":true/, '"success":false')),
  "an empty body": (_, r) => json(r, ""),
  "an empty object": (_, r) => json(r, "{}"),
  "null": (_, r) => json(r, "null"),
  "a list": (a, r) => json(r, `[${a}]`),
  "a truncated answer": (a, r) => json(r, a.slice(0, -2)),
  "more behind it": (a, r) => json(r, `${a}{}`),
  "a comment in it": (a, r) => json(r, a.replace("{", "{/* */")),
  "a byte order mark": (a, r) => json(r, `\ufeff${a}`),
  "bytes that are no text": (a, r) => { r.writeHead(200, { "Content-Type": "application/json" }).end(Buffer.concat([Buffer.from(a.trimEnd().slice(0, -1)), Buffer.from(',"x":"\xff"}', "latin1")])); },
  "a page": (_, r) => { r.writeHead(200, { "Content-Type": "text/html" }).end("<html>allow</html>"); },
  "an answer called a page": (a, r) => { r.writeHead(200, { "Content-Type": "text/html" }).end(a); },
  "an answer without a kind": (a, r) => { r.writeHead(200).end(a); },
  "status 204": (_, r) => { r.writeHead(204).end(); },
  "status 201": (a, r) => json(r, a, 201),
  "status 500": (a, r) => json(r, a, 500),
  "status 403": (a, r) => json(r, a, 403),
  "a redirect": (_, r, q) => { r.writeHead(307, { Location: `${q.url}?again` }).end(); },
  "a redirect with an answer": (a, r) => { r.writeHead(302, { Location: "/", "Content-Type": "application/json" }).end(a); },
  "a broken connection": (_, r) => { r.socket?.destroy(); },
  "half an answer, then nothing": (a, r) => { r.writeHead(200, { "Content-Type": "application/json", "Content-Length": a.length }); r.write(a.slice(0, 20), () => r.socket?.destroy()); },
  "no answer": () => undefined,
  "an answer that never ends": (a, r) => { r.writeHead(200, { "Content-Type": "application/json" }); r.write(a); },
};
