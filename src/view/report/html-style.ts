/** The look of the page: light or dark as the reader's system is; on a phone, rows become cards. */
export const STYLE = `
:root { color-scheme: light dark; --back: #ffffff; --card: #f4f5f7; --ink: #1b1f24; --dim: #59626d; --line: #d5d9de;
  --good: #1a6f37; --middling: #855300; --bad: #b3261e; --cost: #2f6fd0; --time: #7a52c7; }
@media (prefers-color-scheme: dark) { :root { --back: #12151a; --card: #1c2027; --ink: #e7e9ec; --dim: #9da7b3;
  --line: #353c46; --good: #5fc983; --middling: #e0b04c; --bad: #ff8a80; --cost: #6ea4f5; --time: #b396f0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 62rem; background: var(--back); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.25rem; margin: 0; }
h2 { font-size: 1rem; margin: 2.5rem 0 .5rem; }
code { font: .875em/1.5 ui-monospace, monospace; }
.result { font-size: 1.5rem; line-height: 1.3; margin: .25rem 0 1.25rem; font-weight: 600; }
.good { color: var(--good); } .middling { color: var(--middling); } .bad { color: var(--bad); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; margin: 0; }
dt, .dim, figcaption, .axis, th { color: var(--dim); }
dd { margin: 0; }
figure { margin: 1.5rem 0 0; }
figcaption, .axis { font-size: .875rem; }
svg { display: block; width: 100%; height: 7.5rem; margin-top: .25rem; border-top: 1px dashed var(--line);
  border-bottom: 1px solid var(--dim); }
.hit { fill: transparent; } g:hover .hit { fill: var(--dim); fill-opacity: .2; }
.cost .bar { fill: var(--cost); } .time .bar { fill: var(--time); }
.axis { display: flex; justify-content: space-between; gap: .5rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { font-weight: 400; font-size: .875rem; text-align: left; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; white-space: nowrap; }
td ul { list-style: none; margin: 0; padding: 0; font-size: .875rem; }
.go-on { display: block; padding: .75rem 1rem; background: var(--card); border-radius: .375rem; }
@media (max-width: 44rem) {
  thead { display: none; }
  tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  td { display: inline-block; border: 0; padding: 0 .75rem 0 0; }
  td.number { text-align: left; }
  td[data-name]::before { content: attr(data-name) " "; color: var(--dim); }
  td.more { display: block; padding: .25rem 0 0; }
}
@media print { svg, tr { break-inside: avoid; } }
`
