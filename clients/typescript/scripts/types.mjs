// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Writes src/api.ts from the gate's OpenAPI document. With --check it writes
// nothing and fails where the committed types are not those of the document.
import { readFileSync, writeFileSync } from "node:fs";

const from = new URL("../../../httpgate/openapi.json", import.meta.url);
const to = new URL("../src/api.ts", import.meta.url);

/** The types of a document, as TypeScript. */
export function types(document) {
  const { components, paths } = document;
  const out = [
    "// Copyright 2026 The Toolverdict Authors", "// SPDX-License-Identifier: Apache-2.0", "",
    "// Made by scripts/types.mjs from httpgate/openapi.json: change that, not this.", "",
  ];
  for (const [name, schema] of Object.entries(components.schemas)) out.push(`export interface ${name} ${type(schema, "")}`, "");
  out.push("/** What each request takes and answers with status 200. */", "export interface Operations {");
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const body = content(operation.requestBody);
      const answer = content(operation.responses["200"]);
      if (operation.summary) out.push(comment(operation.summary, "  "));
      out.push(`  ${JSON.stringify(`${method.toUpperCase()} ${path}`)}: {`);
      out.push(`    body: ${body === undefined ? "undefined" : type(body, "    ")};`, `    answer: ${answer === undefined ? "undefined" : type(answer, "    ")};`, "  };");
    }
  }
  out.push("}", "");
  return out.join("\n");
}

const content = (holder) => holder?.content?.["application/json"]?.schema;
const comment = (text, indent) => `${indent}/** ${text.replaceAll("*/", "*\\/")} */`;
const known = new Set(["$ref", "type", "properties", "required", "additionalProperties", "items", "enum", "oneOf", "anyOf", "format", "description", "contentEncoding"]);

function type(schema, indent) {
  if (schema === true) return "unknown";
  // A keyword that is not understood would make a type that says too little.
  for (const word of Object.keys(schema)) if (!known.has(word)) throw new Error(`scripts/types.mjs does not know the keyword ${word}`);
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.enum) return schema.enum.map((v) => JSON.stringify(v)).join(" | ");
  const either = schema.oneOf ?? schema.anyOf;
  if (either) return either.map((s) => type(s, indent)).join(" | ");
  switch (schema.type) {
    case undefined: return "unknown";
    case "string": case "boolean": return schema.type;
    case "integer": case "number": return "number";
    case "array": { const of = schema.items ? type(schema.items, indent) : "unknown"; return /[ {]/.test(of) ? `Array<${of}>` : `${of}[]`; }
    case "object": return object(schema, indent);
    default: throw new Error(`scripts/types.mjs does not know the type ${schema.type}`);
  }
}

function object(schema, indent) {
  const more = schema.additionalProperties;
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return more && typeof more === "object" ? `Record<string, ${type(more, indent)}>` : more === false ? "Record<string, never>" : "Record<string, unknown>";
  const required = new Set(schema.required ?? []);
  const lines = [];
  for (const [name, s] of properties) {
    if (s.description) lines.push(comment(s.description, `${indent}  `));
    lines.push(`${indent}  ${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}${required.has(name) ? "" : "?"}: ${type(s, `${indent}  `)};`);
  }
  return `{\n${lines.join("\n")}\n${indent}}`;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const text = types(JSON.parse(readFileSync(from, "utf8")));
  if (!process.argv.includes("--check")) {
    writeFileSync(to, text);
  } else if (readFileSync(to, "utf8") !== text) {
    console.error("src/api.ts is not what httpgate/openapi.json says: run npm run types in clients/typescript");
    process.exit(1);
  }
}
