import type { Tone } from '../page.ts'
import { plain } from '../text/plain.ts'

/** The browser fetches and runs nothing, even if an agent's text should ever get through unescaped. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/** `result`: what people should read first. `madeBy`: the command that makes such a page. */
export type PageHead = { title: string; result: string; tone: Tone; madeBy: string }

/** A page that needs nothing else: no file, no network, no script. `body` is HTML. */
export const htmlPage = ({ title, result, tone, madeBy }: PageHead, body: readonly string[]): string[] => [
  '<!doctype html>',
  '<html lang="en">',
  '<meta charset="utf-8">',
  `<meta http-equiv="Content-Security-Policy" content="${html(POLICY)}">`,
  '<meta name="viewport" content="width=device-width, initial-scale=1">',
  `<title>${html(title)}</title>`,
  `<style>${STYLE}</style>`,
  `<header class="${tone}"><h1>${html(title)}</h1><p class="result">${html(result)}</p></header>`,
  ...body,
  `<footer class="dim">Made by <code>${html(madeBy)}</code>. Costs are as the agent reported them.</footer>`,
  '</html>',
]

/** Commands for people to copy, a line each. */
export const htmlCommands = (commands: readonly string[]): string =>
  `<code class="go-on">${commands.map(html).join('<br>')}</code>`

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes any text for an element or a quoted attribute of an HTML page. */
export const html = (text: string): string => plain(text).replace(/[&<>"']/g, char => ENTITIES[char]!)

/** Light or dark like the reader's system; on a phone, table rows become cards. */
const STYLE = `
:root { color-scheme: light dark; --back: #ffffff; --card: #f6f7f9; --ink: #1b1f24; --dim: #59626d; --line: #dfe3e8;
  --good: #1a6f37; --middling: #855300; --bad: #b3261e; --cost: #2f6fd0; --time: #7a52c7; }
@media (prefers-color-scheme: dark) { :root { --back: #12151a; --card: #1a1e25; --ink: #e7e9ec; --dim: #9da7b3;
  --line: #2e353f; --good: #5fc983; --middling: #e0b04c; --bad: #ff8a80; --cost: #6ea4f5; --time: #b396f0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 66rem; background: var(--back); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header { padding: 1rem 1.25rem; border-left: .3rem solid; border-radius: .5rem; background: var(--card); }
h1 { font-size: .9375rem; font-weight: 500; margin: 0; color: var(--dim); }
.result { font-size: 1.625rem; line-height: 1.3; margin: .125rem 0 0; font-weight: 650; }
h2 { font-size: 1.0625rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
p { margin: .25rem 0; }
code { font: .875em/1.5 ui-monospace, monospace; }
.good { color: var(--good); } .middling { color: var(--middling); } .bad { color: var(--bad); }
dl { margin: 1rem 0 0; display: grid; gap: .75rem; }
dt, .dim, figcaption, .axis, th { color: var(--dim); }
dt { font-size: .8125rem; }
dd { margin: 0; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); }
.tiles div { padding: .625rem .875rem; border: 1px solid var(--line); border-radius: .5rem; }
.tiles dd { font-weight: 600; line-height: 1.35; margin-top: .125rem; }
.about { grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr)); padding: 0 .875rem; font-size: .875rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); gap: 1rem 2rem;
  margin-top: 2rem; }
figure { margin: 0; }
figcaption, .axis { font-size: .8125rem; }
svg { display: block; width: 100%; height: 7.5rem; margin-top: .375rem; border-top: 1px dashed var(--line);
  border-bottom: 1px solid var(--dim); }
.hit { fill: transparent; } g:hover .hit { fill: var(--dim); fill-opacity: .2; }
.cost .bar { fill: var(--cost); } .time .bar { fill: var(--time); }
.axis { display: flex; justify-content: space-between; gap: .5rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { font-weight: 400; font-size: .8125rem; text-align: left; border-bottom: 1px solid var(--dim); }
th, td { padding: .5rem 1rem .5rem 0; vertical-align: top; }
td { border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; width: 50%; }
table.figures :last-child { width: auto; }
.number { text-align: right; white-space: nowrap; }
.how { display: inline-block; padding: .0625rem .5rem; border: 1px solid; border-radius: 1rem; font-size: .8125rem;
  white-space: nowrap; }
td ul { list-style: none; margin: 0; padding: 0; font-size: .875rem; line-height: 1.6; }
ul.list { margin: 0; padding-left: 1.25rem; }
.go-on { display: block; margin: .25rem 0; padding: .75rem 1rem; background: var(--card); border-radius: .5rem; }
footer { margin-top: 3rem; font-size: .8125rem; }
@media (max-width: 44rem) {
  body { padding-top: 1rem; }
  .result { font-size: 1.375rem; }
  thead { display: none; }
  tr { display: block; padding: .75rem 0; border-bottom: 1px solid var(--line); }
  td { display: inline-block; border: 0; padding: 0 .75rem .125rem 0; }
  td:last-child { width: auto; }
  td.number { text-align: left; }
  td[data-name]::before { content: attr(data-name) " "; color: var(--dim); font-size: .8125rem; }
  td.more { display: block; padding: .25rem 0 0; }
}
@media print { body { padding: 0; } svg, tr, header, .tiles div { break-inside: avoid; } }
`
