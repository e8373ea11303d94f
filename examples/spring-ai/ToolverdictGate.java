// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** Runs tools of this program with leave of a gate. */
public final class ToolverdictGate {

    /** The tool was not run. The message is fit for the model. */
    public static final class Refused extends RuntimeException {
        Refused(String message) { super(message); }
    }

    /** The tool ran and failed, or the gate could not be told what came of it. */
    public static final class Failed extends RuntimeException {
        Failed(String message, Throwable cause) { super(message, cause); }
    }

    private static final String NO_GATE = "GATE_UNAVAILABLE: %s Nothing was run.";

    private final HttpClient http = HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER) // a key must never follow one
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(Duration.ofSeconds(10)).build();
    private final String base;
    private final String key;

    public ToolverdictGate(String base, String key) {
        this.base = base.replaceAll("/+$", "");
        this.key = key;
    }

    /**
     * Claims a call, runs the function with exactly the claimed arguments, tells what
     * came of it, and returns what the gate lets the model read.
     */
    public String run(String tool, String arguments, UnaryOperator<String> function) {
        String id = UUID.randomUUID().toString();
        // As text: what is no JSON is refused by the gate, and recorded.
        Map<String, String> answer = post("/v1/claim", "{\"id\":" + Json.quote(id) + ",\"tool\":" + Json.quote(tool) + ",\"arguments\":" + Json.quote(arguments) + "}");
        String verdict = Json.text(answer.get("verdict"));
        if ("deny".equals(verdict) && "true".equals(answer.get("replayed")) && "true".equals(answer.get("success"))) {
            return read(answer.get("result")); // the same act ran before: nothing is run now
        }
        if (!"allow".equals(verdict)) {
            throw refused(answer);
        }
        Map<String, String> claim = part(answer, "claim");
        String claimId = Json.text(claim.get("id")), token = Json.text(claim.get("token")), claimed = claim.get("arguments");
        if (claimId.isEmpty() || token.isEmpty() || claimed == null || !claimed.startsWith("{") || !"true".equals(answer.get("success"))
                || !id.equals(Json.text(answer.get("id"))) || !tool.equals(Json.text(answer.get("tool")))) {
            throw noGate("What answered is no gate: it allows the call and gives no claim for it.");
        }
        String result;
        try {
            result = function.apply(claimed);
        } catch (RuntimeException e) {
            Map<String, String> told = tell(claimId, token, ",\"status\":\"failed\",\"code\":\"TOOL_ERROR\",\"message\":" + Json.quote(String.valueOf(e.getMessage())));
            throw new Failed(told.containsKey("error") ? sentence(told) : "TOOL_ERROR: the tool failed", e);
        }
        return read(tell(claimId, token, ",\"status\":\"succeeded\"" + (result == null ? "" : ",\"result\":" + Json.quote(result))).get("result"));
    }

    /** Tells an outcome. The same words are taken once however often they come. */
    private Map<String, String> tell(String claim, String token, String rest) {
        String body = "{\"claim\":" + Json.quote(claim) + ",\"token\":" + Json.quote(token) + rest + "}";
        for (int attempt = 0;; attempt++) {
            try {
                Map<String, String> told = post("/v1/outcome", body);
                if (claim.equals(Json.text(told.get("claim")))) {
                    return told;
                }
            } catch (Refused e) {
                if (attempt == 1) {
                    throw new Failed("OUTCOME_UNKNOWN: the tool ran, and the gate could not be told what came of it. Do not retry.", e);
                }
                continue;
            }
            throw new Failed("OUTCOME_UNKNOWN: the tool ran, and what answered is no gate. Do not retry.", null);
        }
    }

    /** The members of an answer of a gate; whatever else answers is refused. */
    private Map<String, String> post(String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofSeconds(10))
                .header("Authorization", "Bearer " + key).header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)).build();
        try {
            // The request's own timeout ends with the headers of the answer: this one is for all of it.
            var answer = http.sendAsync(request, BodyHandlers.ofByteArray()).orTimeout(10, TimeUnit.SECONDS).join();
            String kind = answer.headers().firstValue("Content-Type").orElse("");
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(answer.body())).toString();
            if (answer.statusCode() != 200) {
                throw noGate("What answered gave status " + answer.statusCode() + " and no decision.");
            }
            if (!kind.split(";")[0].trim().equalsIgnoreCase("application/json")) {
                throw noGate("What answered is no gate: its answer is no JSON.");
            }
            return Json.members(text);
        } catch (CompletionException | CharacterCodingException e) {
            throw noGate("The gate did not answer.");
        } catch (IllegalArgumentException e) {
            throw noGate("What answered is no gate: its answer is broken, or can be read in two ways.");
        }
    }

    private static Refused noGate(String why) { return new Refused(NO_GATE.formatted(why)); }

    private static Refused refused(Map<String, String> answer) {
        String verdict = Json.text(answer.get("verdict"));
        if (!verdict.equals("ask") && !verdict.equals("deny") || !answer.containsKey("error")) {
            return noGate("What answered is no gate: its verdict is none.");
        }
        return new Refused(sentence(answer));
    }

    private static String sentence(Map<String, String> answer) {
        Map<String, String> error = part(answer, "error");
        return (Json.text(error.get("code")) + ": " + Json.text(error.get("message")) + " " + Json.text(error.get("recommendedAction"))).trim();
    }

    private static Map<String, String> part(Map<String, String> answer, String name) {
        try {
            return Json.members(answer.getOrDefault(name, "{}"));
        } catch (IllegalArgumentException e) {
            return Map.of(); // in which nothing is
        }
    }

    private static String read(String json) { return json == null ? "" : json.startsWith("\"") ? Json.text(json) : json; }

    /** As much of JSON as an answer needs: the members of an object as the texts that they are, each given once. */
    static final class Json {
        private final String s;
        private int at;

        private Json(String s) { this.s = s; }

        static Map<String, String> members(String text) {
            Json j = new Json(text);
            Map<String, String> out = new LinkedHashMap<>();
            j.space();
            j.expect('{');
            for (boolean first = true; !j.next('}'); first = false) {
                if (!first) {
                    j.expect(',');
                    j.space();
                }
                String name = j.string();
                j.space();
                j.expect(':');
                j.space();
                int from = j.at;
                j.value(0);
                if (out.put(name, text.substring(from, j.at)) != null) {
                    throw new IllegalArgumentException("a key is given twice");
                }
                j.space();
            }
            j.space();
            if (j.at != text.length()) {
                throw new IllegalArgumentException("something stands behind it");
            }
            return out;
        }

        /** The text of a JSON string, "" where it is none. */
        static String text(String json) { return json == null || !json.startsWith("\"") ? "" : new Json(json).string(); }

        static String quote(String s) {
            StringBuilder b = new StringBuilder("\"");
            s.chars().forEach(c -> {
                if (c == '"' || c == '\\') {
                    b.append('\\').append((char) c);
                } else if (c < ' ' || c > '~') {
                    b.append("\\u%04x".formatted(c));
                } else {
                    b.append((char) c);
                }
            });
            return b.append('"').toString();
        }

        private void value(int depth) {
            if (depth > 200) {
                throw new IllegalArgumentException("it is nested too deep");
            }
            char c = peek();
            if (c == '"') {
                string();
            } else if (c == '{' || c == '[') {
                at++;
                space();
                for (boolean first = true; !next(c == '{' ? '}' : ']'); first = false) {
                    if (!first) {
                        expect(',');
                        space();
                    }
                    if (c == '{') {
                        string();
                        space();
                        expect(':');
                        space();
                    }
                    value(depth + 1);
                    space();
                }
            } else {
                int from = at;
                while (at < s.length() && "+-.0123456789abcdefghijklmnopqrstuvwxyzE".indexOf(s.charAt(at)) >= 0) {
                    at++;
                }
                if (!s.substring(from, at).matches("true|false|null|-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?")) {
                    throw new IllegalArgumentException("no value");
                }
            }
        }

        private String string() {
            expect('"');
            StringBuilder b = new StringBuilder();
            for (char c = take(); c != '"'; c = take()) {
                if (c < ' ') {
                    throw new IllegalArgumentException("a control character");
                }
                b.append(c == '\\' ? escaped() : c);
            }
            return b.toString();
        }

        private char escaped() {
            char c = take();
            if (c == 'u') {
                at += 4;
                if (at > s.length() || !s.substring(at - 4, at).matches("[0-9a-fA-F]{4}")) {
                    throw new IllegalArgumentException("no escape");
                }
                return (char) Integer.parseInt(s.substring(at - 4, at), 16);
            }
            int i = "\"\\/bfnrt".indexOf(c);
            if (i < 0) {
                throw new IllegalArgumentException("no escape");
            }
            return "\"\\/\b\f\n\r\t".charAt(i);
        }

        private char peek() {
            if (at >= s.length()) {
                throw new IllegalArgumentException("it ends too early");
            }
            return s.charAt(at);
        }

        private char take() {
            char c = peek();
            at++;
            return c;
        }

        private void expect(char c) {
            if (take() != c) {
                throw new IllegalArgumentException("no " + c);
            }
        }

        private boolean next(char c) {
            if (peek() != c) {
                return false;
            }
            at++;
            return true;
        }

        private void space() {
            while (at < s.length() && " \t\r\n".indexOf(s.charAt(at)) >= 0) {
                at++;
            }
        }
    }
}
