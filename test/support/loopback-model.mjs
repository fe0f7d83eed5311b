#!/usr/bin/env node
import fs from 'node:fs'
/*
 * mock-model.mjs - one scripted model endpoint on loopback for real coding-agent CLIs.
 * No dependencies; node >= 18.
 *
 * Use as a program:
 *   node mock-model.mjs --script turns.json [--port 0] [--log requests.ndjson] [--port-file p.txt]
 *   -> prints {"port":N,"url":"http://127.0.0.1:N"}; ends on SIGTERM/SIGINT.
 * Use as a module:
 *   import { startMockModel } from './mock-model.mjs'
 *   const m = await startMockModel({ turns: [...] }); m.url; m.requests; await m.close()
 *
 * Point the CLIs at it:
 *   claude    ANTHROPIC_BASE_URL=$URL ANTHROPIC_API_KEY=dummy           (POST /v1/messages)
 *   codex     model_providers.mock.base_url="$URL/v1", wire_api="responses" (POST /v1/responses)
 *   opencode  provider npm @ai-sdk/openai-compatible, baseURL $URL/v1   (POST /v1/chat/completions)
 *   gemini    GOOGLE_GEMINI_BASE_URL=$URL GEMINI_API_KEY=dummy          (POST /v1beta/models/*:streamGenerateContent)
 *   copilot   COPILOT_PROVIDER_BASE_URL=$URL/v1 ... (see the report)    (POST /v1/chat/completions)
 *
 * Script: {"turns":[TURN,...], "after":"stop"|"repeat", "aux":"text for side requests"}
 *   TURN = { "text": "...", "thinking": "...",
 *            "tools": [{"name":"Bash","input":{...},"id":"optional"}],   // custom:true -> freeform (codex apply_patch)
 *            "usage": {"input":1200,"output":40,"cacheRead":0,"cacheWrite":0},
 *            "delayMs": 0,          // before the first byte
 *            "chunkDelayMs": 0,     // between streamed text pieces
 *            "times": 1,            // the turn answers this many requests (for retry tests)
 *            "status": 429, "error": {"type":"rate_limit_error","message":"..."}, "headers": {},
 *            "empty": true,         // a well-formed reply without any content
 *            "drop": true,          // close the socket without an answer
 *            "cut": true,           // begin the stream, then close it half-way
 *            "hang": true,          // never answer
 *            "failed": {"code":"rate_limit_exceeded","message":"..."},  // a stream that ends in an error
 *            "body": {},            // with "status": the whole body of the error, as it is
 *            "when": "substr" }     // only taken when the request body contains this (else: next turn)
 * A request is a "main" request (takes the next turn) when it carries tools; a request
 * without tools (titles, summaries, quota probes) is "aux" and gets a fixed short text.
 * When the turns are used up: "stop" (default) answers the text "(script is used up)", "repeat" repeats the last turn.
 * As a module, {"answer": body => TURN} answers a main request by what it asks, and there are no turns.
 * Control:  GET /__state -> {served, main, aux, left};  POST /__script {turns:[...]} -> new script, counters to 0.
 */
import http from 'node:http'
import { pathToFileURL } from 'node:url'

let seq = 0
const uid = p => `${p}_mock${String(++seq).padStart(4, '0')}`
const pieces = (s, n = 24) => {
  const out = []
  for (let i = 0; i < s.length; i += n) out.push(s.slice(i, i + n))
  return out
}
const sleep = ms => new Promise(r => setTimeout(r, ms))

export async function startMockModel(script = {}, opts = {}) {
  const st = { script: normal(script), i: 0, left: 0, main: 0, aux: 0, requests: [] }
  const resetTurns = () => {
    st.i = 0
    st.left = st.script.turns[0]?.times ?? 1
  }
  resetTurns()
  const log = o => {
    st.requests.push(o)
    if (opts.log) fs.appendFileSync(opts.log, `${JSON.stringify(o)}\n`)
  }
  function nextTurn(raw, body) {
    if (st.script.answer) return st.script.answer(body)
    const t = st.script.turns
    while (st.i < t.length && t[st.i].when && !raw.includes(t[st.i].when)) {
      st.i++
      st.left = t[st.i]?.times ?? 1
    }
    if (st.i >= t.length)
      return st.script.after === 'repeat' && t.length ? t[t.length - 1] : { text: '(script is used up)' }
    const turn = t[st.i]
    if (--st.left <= 0) {
      st.i++
      st.left = t[st.i]?.times ?? 1
    }
    return turn
  }
  const server = http.createServer(async (req, res) => {
    const chunks = []
    for await (const c of req) chunks.push(c)
    const raw = Buffer.concat(chunks).toString('utf8')
    const path = req.url.split('?')[0]
    let body
    try {
      body = raw ? JSON.parse(raw) : undefined
    } catch {
      body = raw
    }
    const json = (status, o, headers = {}) => {
      res.writeHead(status, { 'content-type': 'application/json', ...headers })
      res.end(JSON.stringify(o))
    }
    if (path === '/__state')
      return json(200, {
        served: st.requests.length,
        main: st.main,
        aux: st.aux,
        left: st.script.turns.length - st.i,
      })
    if (path === '/__script') {
      st.script = normal(body)
      resetTurns()
      st.main = st.aux = 0
      return json(200, { ok: true })
    }

    const api = apiOf(req.method, path)
    const main = !!api && api !== 'count' && isMain(api, body)
    const turn = !api || api === 'count' ? null : main ? nextTurn(raw, body) : { text: st.script.aux }
    if (main) st.main++
    else if (turn) st.aux++
    log({
      n: st.requests.length + 1,
      t: Date.now(),
      method: req.method,
      url: req.url,
      api,
      kind: main ? 'main' : turn ? 'aux' : 'other',
      headers: pick(req.headers),
      body,
    })
    if (!api) return fallback(req, path, json)
    if (api === 'count')
      return json(200, { input_tokens: Math.ceil(raw.length / 4), totalTokens: Math.ceil(raw.length / 4) })
    if (turn.hang) return
    if (turn.delayMs) await sleep(turn.delayMs)
    if (turn.drop) return req.socket.destroy()
    if (turn.status && turn.status >= 300)
      return json(turn.status, errorBody(api, turn), { 'request-id': uid('req'), ...(turn.headers || {}) })
    try {
      await REPLY[api](turn, body, req, res, json)
    } catch (e) {
      if (!res.headersSent) json(500, { error: { message: String(e) } })
      else res.destroy()
    }
  })
  server.on('upgrade', (req, socket) => {
    // no websockets here: plain 404, so that clients fall back to HTTP
    log({
      n: st.requests.length + 1,
      t: Date.now(),
      method: 'UPGRADE',
      url: req.url,
      api: null,
      kind: 'other',
      headers: pick(req.headers),
    })
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
  })
  server.keepAliveTimeout = 1000
  await new Promise(r => server.listen(opts.port ?? 0, '127.0.0.1', r))
  const port = server.address().port
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests: st.requests,
    state: st,
    setScript: s => {
      st.script = normal(s)
      resetTurns()
    },
    close: () =>
      new Promise(r => {
        server.closeAllConnections?.()
        server.close(() => r())
      }),
  }
}

function normal(s) {
  if (Array.isArray(s)) s = { turns: s }
  return { after: 'stop', aux: 'ok', ...s, turns: s?.turns ?? [] }
}
function pick(h) {
  const o = {}
  for (const k of [
    'user-agent',
    'anthropic-beta',
    'anthropic-version',
    'x-api-key',
    'authorization',
    'x-goog-api-key',
    'x-app',
    'x-stainless-retry-count',
    'content-type',
  ])
    if (h[k]) o[k] = h[k]
  return o
}
function apiOf(method, p) {
  if (method !== 'POST') return null
  if (p.endsWith('/messages/count_tokens') || p.endsWith(':countTokens')) return 'count'
  if (p.endsWith('/messages')) return 'anthropic'
  if (p.endsWith('/responses')) return 'responses'
  if (p.endsWith('/chat/completions')) return 'chat'
  if (/:(stream)?[gG]enerateContent$/.test(p)) return 'gemini'
  return null
}
function isMain(_api, body) {
  const tools = body?.tools ?? body?.request?.tools
  return (
    Array.isArray(tools) &&
    tools.length > 0 &&
    !(tools.length === 1 && /^web_search/.test(tools[0].type || ''))
  )
}
function fallback(req, p, json) {
  if (req.method === 'HEAD') return json(200, {})
  if (p.endsWith('/models'))
    return json(200, {
      object: 'list',
      data: [
        {
          id: 'mock-model',
          object: 'model',
          type: 'model',
          display_name: 'Mock',
          created_at: '2026-01-01T00:00:00Z',
        },
      ],
      models: [],
      has_more: false,
    })
  return json(404, {
    type: 'error',
    error: { type: 'not_found_error', message: `mock: no ${req.method} ${p}` },
  })
}
function errorBody(api, t) {
  const e = { type: 'api_error', message: 'mock error', ...(t.error || {}) }
  if (t.body !== undefined) return t.body
  if (api === 'anthropic') return { type: 'error', error: e, request_id: uid('req') }
  if (api === 'gemini') return { error: { code: t.status, message: e.message, status: e.type } }
  return { error: { message: e.message, type: e.type, code: e.code ?? e.type, param: null } }
}
const U = t => ({ input: 1200, output: 40, cacheRead: 0, cacheWrite: 0, ...(t.usage || {}) })

const REPLY = {
  // ---------------------------------------------------------------- Anthropic Messages
  async anthropic(t, body, _req, res, json) {
    const u = U(t)
    const content = []
    if (!t.empty) {
      if (t.thinking) content.push({ type: 'thinking', thinking: t.thinking, signature: 'bW9jaw==' })
      if (t.text) content.push({ type: 'text', text: t.text })
      for (const c of t.tools || [])
        content.push({ type: 'tool_use', id: c.id || uid('toolu'), name: c.name, input: c.input || {} })
    }
    const stop = t.stop_reason || ((t.tools || []).length ? 'tool_use' : 'end_turn')
    const usage0 = {
      input_tokens: u.input,
      cache_creation_input_tokens: u.cacheWrite,
      cache_read_input_tokens: u.cacheRead,
      output_tokens: 1,
      service_tier: 'standard',
    }
    const msg = {
      id: uid('msg'),
      type: 'message',
      role: 'assistant',
      model: body?.model || 'mock-model',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usage0,
    }
    if (!body?.stream)
      return json(
        200,
        { ...msg, content, stop_reason: stop, usage: { ...usage0, output_tokens: u.output } },
        { 'request-id': uid('req') },
      )
    res.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'request-id': uid('req'),
      ...(t.headers || {}),
    })
    const ev = (type, o) => res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...o })}\n\n`)
    ev('message_start', { message: msg })
    ev('ping', {})
    if (t.failed) {
      ev('error', { error: { type: t.failed.code, message: t.failed.message } })
      return res.end()
    }
    let k = 0
    for (const b of content) {
      const index = k++
      if (b.type === 'text') {
        ev('content_block_start', { index, content_block: { type: 'text', text: '' } })
        for (const p of pieces(b.text)) {
          ev('content_block_delta', { index, delta: { type: 'text_delta', text: p } })
          if (t.chunkDelayMs) await sleep(t.chunkDelayMs)
          if (t.cut) return res.destroy()
        }
      } else if (b.type === 'thinking') {
        ev('content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } })
        ev('content_block_delta', { index, delta: { type: 'thinking_delta', thinking: b.thinking } })
        ev('content_block_delta', { index, delta: { type: 'signature_delta', signature: b.signature } })
      } else {
        ev('content_block_start', { index, content_block: { ...b, input: {} } })
        for (const p of pieces(JSON.stringify(b.input), 48))
          ev('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: p } })
      }
      ev('content_block_stop', { index })
    }
    ev('message_delta', {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: u.output },
    })
    ev('message_stop', {})
    res.end()
  },
  // ---------------------------------------------------------------- OpenAI Responses
  async responses(t, body, _req, res, json) {
    const u = U(t)
    const id = uid('resp')
    const base = {
      id,
      object: 'response',
      created_at: Math.floor(Date.now() / 1000),
      status: 'in_progress',
      model: body?.model || 'mock-model',
      output: [],
      parallel_tool_calls: true,
      tool_choice: 'auto',
      tools: [],
    }
    const items = []
    if (!t.empty) {
      if (t.thinking)
        items.push({
          id: uid('rs'),
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: t.thinking }],
        })
      if (t.text)
        items.push({
          id: uid('msg'),
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: t.text, annotations: [] }],
          ...(t.phase ? { phase: t.phase } : {}),
        })
      for (const c of t.tools || [])
        items.push(
          c.custom
            ? {
                id: uid('ctc'),
                type: 'custom_tool_call',
                status: 'completed',
                call_id: c.id || uid('call'),
                name: c.name,
                input: c.input,
              }
            : {
                id: uid('fc'),
                type: 'function_call',
                status: 'completed',
                call_id: c.id || uid('call'),
                name: c.name,
                arguments: JSON.stringify(c.input || {}),
              },
        )
    }
    const usage = {
      input_tokens: u.input,
      input_tokens_details: { cached_tokens: u.cacheRead },
      output_tokens: u.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: u.input + u.output,
    }
    if (!body?.stream) return json(200, { ...base, status: 'completed', output: items, usage })
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    let sn = 0
    const ev = (type, o) =>
      res.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sn++, ...o })}\n\n`)
    ev('response.created', { response: base })
    ev('response.in_progress', { response: base })
    if (t.failed) {
      ev('response.failed', { response: { ...base, status: 'failed', error: t.failed } })
      return res.end()
    }
    for (const [output_index, it] of items.entries()) {
      ev('response.output_item.added', {
        output_index,
        item: it.type === 'message' ? { ...it, status: 'in_progress', content: [] } : it,
      })
      if (it.type === 'message') {
        ev('response.content_part.added', {
          item_id: it.id,
          output_index,
          content_index: 0,
          part: { type: 'output_text', text: '', annotations: [] },
        })
        for (const p of pieces(t.text)) {
          ev('response.output_text.delta', { item_id: it.id, output_index, content_index: 0, delta: p })
          if (t.chunkDelayMs) await sleep(t.chunkDelayMs)
          if (t.cut) return res.destroy()
        }
        ev('response.output_text.done', { item_id: it.id, output_index, content_index: 0, text: t.text })
        ev('response.content_part.done', {
          item_id: it.id,
          output_index,
          content_index: 0,
          part: it.content[0],
        })
      }
      ev('response.output_item.done', { output_index, item: it })
    }
    ev('response.completed', { response: { ...base, status: 'completed', output: items, usage } })
    res.end()
  },
  // ---------------------------------------------------------------- OpenAI chat completions
  async chat(t, body, _req, res, json) {
    const u = U(t)
    const id = uid('chatcmpl'),
      created = Math.floor(Date.now() / 1000),
      model = body?.model || 'mock-model'
    const calls = t.empty
      ? []
      : (t.tools || []).map((c, index) => ({
          index,
          id: c.id || uid('call'),
          type: 'function',
          function: { name: c.name, arguments: JSON.stringify(c.input || {}) },
        }))
    const finish = calls.length ? 'tool_calls' : 'stop'
    const usage = {
      prompt_tokens: u.input,
      completion_tokens: u.output,
      total_tokens: u.input + u.output,
      prompt_tokens_details: { cached_tokens: u.cacheRead },
    }
    const text = t.empty ? '' : t.text || ''
    if (!body?.stream)
      return json(200, {
        id,
        object: 'chat.completion',
        created,
        model,
        choices: [
          {
            index: 0,
            finish_reason: finish,
            message: {
              role: 'assistant',
              content: text || null,
              ...(calls.length ? { tool_calls: calls.map(({ index, ...c }) => c) } : {}),
            },
          },
        ],
        usage,
      })
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    const ev = (delta, finish_reason = null, extra = {}) =>
      res.write(
        `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model, choices: [{ index: 0, delta, finish_reason }], ...extra })}\n\n`,
      )
    ev({ role: 'assistant', content: '' })
    if (t.thinking) ev({ reasoning_content: t.thinking })
    for (const p of pieces(text)) {
      ev({ content: p })
      if (t.chunkDelayMs) await sleep(t.chunkDelayMs)
      if (t.cut) return res.destroy()
    }
    for (const c of calls) ev({ tool_calls: [c] })
    ev({}, finish)
    res.write(
      `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created, model, choices: [], usage })}\n\n`,
    )
    res.write('data: [DONE]\n\n')
    res.end()
  },
  // ---------------------------------------------------------------- Gemini generateContent
  async gemini(t, _body, req, res, json) {
    const u = U(t)
    const parts = []
    if (!t.empty) {
      if (t.text) parts.push({ text: t.text })
      for (const c of t.tools || [])
        parts.push({ functionCall: { name: c.name, args: c.input || {}, id: c.id || uid('call') } })
    }
    const meta = {
      promptTokenCount: u.input,
      candidatesTokenCount: u.output,
      totalTokenCount: u.input + u.output,
      ...(u.cacheRead ? { cachedContentTokenCount: u.cacheRead } : {}),
    }
    const full = (p, fin) => ({
      candidates: [
        { content: { role: 'model', parts: p }, index: 0, ...(fin ? { finishReason: 'STOP' } : {}) },
      ],
      usageMetadata: meta,
      modelVersion: 'mock-model',
      responseId: 'mock',
    })
    if (!/stream/i.test(req.url)) return json(200, full(parts, true))
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    const ev = o => res.write(`data: ${JSON.stringify(o)}\n\n`)
    for (const p of parts) {
      ev(full([p], false))
      if (t.chunkDelayMs) await sleep(t.chunkDelayMs)
      if (t.cut) return res.destroy()
    }
    ev(full(t.empty ? [] : [{ text: '' }], true))
    res.end()
  },
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const arg = (n, d) => {
    const i = process.argv.indexOf(`--${n}`)
    return i > 0 ? process.argv[i + 1] : d
  }
  const script = arg('script') ? JSON.parse(fs.readFileSync(arg('script'), 'utf8')) : { turns: [] }
  const m = await startMockModel(script, { port: Number(arg('port', 0)), log: arg('log') })
  if (arg('port-file')) fs.writeFileSync(arg('port-file'), String(m.port))
  console.log(JSON.stringify({ port: m.port, url: m.url }))
  const end = () => m.close().then(() => process.exit(0))
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}
