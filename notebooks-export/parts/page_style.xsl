<?xml version="1.0" encoding="UTF-8"?>
<!-- The style of a page, as text of CSS. Every colour is a custom property.
     A colour named "text..." appears on every one named "back..."; the tests
     check their contrast, in light and in dark. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform">

  <xsl:template name="page-style">
:root { color-scheme: light dark;
  --text-link: #0b5c8f; --text-good: #1b6b3a; --text-bad: #a32020;
  --back-raised: #f4f5f3; --rule: #1c2127;
<xsl:call-template name="chart-light"/>
}
@media screen and (prefers-color-scheme: dark) { :root {
  --text-link: #7cc4f2; --text-good: #6fd195; --text-bad: #ff9c94;
  --back-raised: #1d2126; --rule: #8a949f;
<xsl:call-template name="chart-dark"/>
} }
<xsl:call-template name="page-text"/>
<xsl:call-template name="page-parts"/>
<xsl:call-template name="page-tables"/>
<xsl:call-template name="chart-rules"/>
<xsl:call-template name="page-media"/>
  </xsl:template>

  <xsl:template name="page-text">
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-behavior: auto; }
body { margin: 0 auto; padding: 0 clamp(1rem, 4vw, 3rem) 3rem; max-width: 72rem;
  background: var(--back); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.2; text-wrap: balance; margin: 0 0 0.8rem; font-weight: 600; }
h1 { font-size: clamp(1.5rem, 1.1rem + 1.8vw, 2.2rem); letter-spacing: -0.015em; max-width: 28em; }
h2 { font-size: 1.3rem; letter-spacing: -0.005em; }
h3 { font-size: 1.05rem; }
h4 { font-size: 1rem; }
p { margin: 0 0 0.8rem; max-width: 46rem; }
a { color: var(--text-link); text-decoration-thickness: 1px; text-underline-offset: 0.18em; }
a:hover { text-decoration-thickness: 2px; }
code, .sure, td, dd .value { font-variant-numeric: tabular-nums; }
code { font-family: ui-monospace, "SF Mono", "Cascadia Code", "DejaVu Sans Mono", "Liberation Mono", monospace; font-size: 0.9em; }
:focus-visible { outline: 2px solid var(--text-link); outline-offset: 3px; border-radius: 2px; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 1rem; background: var(--back-raised); }
.skip:focus { top: 0.5rem; }
  </xsl:template>

  <xsl:template name="page-parts">
.top { padding: clamp(2rem, 6vw, 4.5rem) 0 1.6rem; border-bottom: 2px solid var(--rule); margin-bottom: 2.2rem; }
.top:has(+ main .figures) { margin-bottom: 0; }
.command { margin: 0 0 0.6rem; color: var(--text-soft); font-size: 0.9rem; letter-spacing: 0.04em; }
.question { margin: 0 0 0.5rem; }
.made { margin: 0; color: var(--text-soft); font-size: 0.9rem; }
section { margin: 0 0 3rem; scroll-margin-top: 1rem; }
article { margin-top: 4rem; scroll-margin-top: 1rem; }
article .top { padding-top: 0; }
article .top:has(+ .figures) { margin-bottom: 0; }
article h2 { font-size: clamp(1.35rem, 1.1rem + 1.2vw, 1.8rem); max-width: 28em; }
article h3 { font-size: 1.15rem; }
dl { margin: 0 0 0.8rem; }
dd { margin: 0; }
.verdict { font-size: 1.15rem; font-weight: 600; margin: 1.25rem 0 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(12.5rem, 100%), 1fr));
  gap: 0 2rem; padding: 1.4rem 0 0.4rem; margin-bottom: 3rem;
  border-bottom: 1px solid var(--line); }
.figures div { padding-bottom: 1rem; display: grid; grid-row: span 2; grid-template-rows: subgrid; gap: 0; }
.figures dt { color: var(--text-soft); font-size: 0.9rem; align-self: end; }
.figures dd { display: flex; flex-wrap: wrap; align-items: baseline; align-content: start; gap: 0 0.5rem; }
.figures .value { flex-basis: 100%; font-size: 2.2rem; line-height: 1.25; font-weight: 600; letter-spacing: -0.02em; }
.figures .sure { font-weight: 500; }
.figures .unit { color: var(--text-soft); font-size: 0.9rem; }
figure { margin: 0 0 2.4rem; }
figcaption { margin-top: 0.6rem; max-width: 46rem; color: var(--text-soft); font-size: 0.92rem; }
figcaption .aside { display: block; }
figcaption .aside::first-letter { text-transform: uppercase; }
figcaption .of { display: block; }
figcaption .name { display: block; color: var(--text); font-weight: 600; }
.chart { display: block; width: 100%; max-width: 42rem; height: auto; }
.chart.wide { max-width: 60rem; min-width: 44rem; }
.notes div, .options div { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr;
  gap: 0 1.5rem; padding: 0.35rem 0; border-top: 1px solid var(--grid); }
.notes dt, .options dt { color: var(--text-soft); }
.swept { margin-left: 0.5em; font-size: 0.8rem; border: 1px solid var(--line); border-radius: 1em; padding: 0 0.5em; }
.sources, .inputs, .evidence, .certificates { padding: 0; margin: 0 0 0.8rem; list-style: none; }
.sources li { padding: 0 0 0.5rem 1.6rem; text-indent: -1.6rem; max-width: 46rem; }
.sources li:target, figure:target, tr:target { background: var(--back-raised); }
.inputs .digest { display: block; color: var(--text-soft); font-size: 0.8rem; }
.evidence li { padding: 0.1rem 0 0.6rem 1.6rem; position: relative; max-width: 46rem; }
.evidence li::before { position: absolute; left: 0; font-weight: 600; }
.good::before { content: "\2713"; color: var(--text-good); }
.bad::before { content: "\2715"; color: var(--text-bad); }
.open::before { content: "\25CB"; color: var(--text-soft); }
.bad { color: var(--text-bad); }
.alarm { margin: 1.5rem 0 0; padding: 0.8rem 1rem; border: 2px solid; color: var(--text-bad); font-weight: 600; }
.certificates { display: flex; flex-wrap: wrap; gap: 0.3rem 2rem; }
.count { color: var(--text-soft); font-size: 0.9rem; white-space: nowrap; }
footer { border-top: 1px solid var(--line); padding-top: 1rem; color: var(--text-soft); font-size: 0.9rem; }
  </xsl:template>

  <xsl:template name="page-tables">
.scroll { overflow-x: auto; max-width: 100%; background-repeat: no-repeat;
  background-image: linear-gradient(var(--back), var(--back)), linear-gradient(var(--back), var(--back)),
    linear-gradient(to right, var(--line), transparent), linear-gradient(to left, var(--line), transparent);
  background-position: left, right, left, right; background-size: 1rem 100%, 1rem 100%, 0.4rem 100%, 0.4rem 100%;
  background-attachment: local, local, scroll, scroll; }
table { border-collapse: collapse; font-size: 0.94rem; width: max-content; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.5rem; position: sticky; left: 0; max-width: calc(100vw - 2rem); }
th, td { padding: 0.4rem 1.4rem 0.4rem 0; text-align: left; vertical-align: baseline; overflow-wrap: normal; max-width: 26rem; }
th:last-child, td:last-child { padding-right: 0.2rem; }
thead th { color: var(--text-soft); font-weight: 500; font-size: 0.86rem; vertical-align: bottom; max-width: 9.5rem; border-bottom: 1px solid var(--rule); }
thead .unit { display: block; font-weight: 400; }
tbody th { font-weight: 500; }
tbody th, thead th:first-child { position: sticky; left: 0; background: var(--back); }
tbody tr:hover th { background: var(--back-raised); }
tbody tr { border-bottom: 1px solid var(--grid); }
tbody tr:hover { background: var(--back-raised); }
.part { display: none; }
.parted th, .parted td { padding-right: 0.75rem; }
.parted thead th { max-width: 6.5rem; }
.summary { width: 100%; }
.summary tbody th, .summary td { min-width: 9rem; }
.summary .name, .summary .unit { color: var(--text-soft); }
.summary .value { font-weight: 600; font-variant-numeric: tabular-nums; }
.on-paper { display: none; }
.exact { display: block; color: var(--text-soft); font-size: 0.82rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
tbody .n { white-space: nowrap; }
.rest { margin: 0.5rem 0 1rem; color: var(--text-soft); font-size: 0.9rem; }
details { border-top: 1px solid var(--grid); padding: 0.5rem 0; }
details[open] { padding-bottom: 1.2rem; }
summary { cursor: pointer; }
summary .name { font-weight: 500; }
summary .value { color: var(--text-soft); font-variant-numeric: tabular-nums; }
summary::marker { color: var(--text-soft); }
details .scroll { margin-top: 0.6rem; }
.folded caption, .quiet caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.formula { margin: 0.6rem 0; padding: 0.7rem 1rem; max-width: 100%; overflow-x: auto; background: var(--back-raised); overflow-wrap: normal; }
.formula .line { display: block; padding: 0.2rem 0; }
.steps div { display: flex; flex-wrap: wrap; gap: 0 1.5rem; padding: 0.35rem 0; border-top: 1px solid var(--grid); }
.steps dt { color: var(--text-soft); min-width: 12rem; max-width: 100%; overflow-x: auto; overflow-y: hidden; }
.steps dd { flex: 1 1 20rem; max-width: 100%; overflow-x: auto; overflow-y: hidden; }
.steps .line + .line::before { content: " "; }
math { font-size: 1.08em; }
.work-name { margin-top: 1.8rem; }
.meaning { display: block; color: var(--text-soft); font-size: 0.92rem; }
.from { color: var(--text-soft); font-size: 0.92rem; }
  </xsl:template>

  <xsl:template name="page-media">
@media (max-width: 34rem) {
  .notes div, .options div { grid-template-columns: 1fr; }
  .figures .value { font-size: 1.9rem; }
  tbody th, thead th:first-child { max-width: 9rem; overflow-wrap: anywhere; }
  th, td { padding-right: 1rem; }
  .chart text { font-size: 15px; }
  .chart .value, .chart .limit-name, .chart .scale text { font-size: 13px; }
  .chart.chart-fabric { min-width: 40rem; }
  .chart.chart-fabric.wide { min-width: 60rem; }
}
@media (min-width: 68rem) {
  figure { display: grid; grid-template-columns: minmax(0, 46rem) minmax(0, 1fr); column-gap: 2.5rem; }
  figcaption { padding-top: 1.2rem; margin: 0; }
  figure.wide { display: block; }
}
@page { margin: 1.6cm; }
@media print {
  :root { --back: #fff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .skip, footer { display: none; }
  .top { padding-top: 0; }
  h1 { font-size: 18pt; }
  .verdict { font-size: 11pt; }
  .figures { grid-template-columns: repeat(auto-fit, minmax(3.6cm, 1fr)); gap: 0 1rem; margin-bottom: 1.5rem; }
  .figures .value { font-size: 16pt; }
  .chart { max-width: 13cm; max-height: 22cm; }
  .chart.chart-fabric { max-width: 100%; min-width: 0; }
  .chart.chart-fabric:not(.wide) { max-height: 8.4cm; }
  th, td { padding-right: 0.6rem; max-width: none; }
  tbody th, thead th:first-child { position: static; max-width: none; }
  .scroll { overflow: visible; background-image: none; }
  table { width: auto; max-width: 100%; }
  thead { display: table-header-group; }
  figure, .top, .figures div, .notes div, .options div, tr, li, summary { break-inside: avoid; }
  h1, h2, h3, h4, caption, thead, summary { break-after: avoid; }
  .rest { break-before: avoid; }
  /* Of many columns: in parts, or in smaller letters where it was unfolded. */
  .wide { font-size: 6pt; }
  .wide th, .wide td { padding-right: 0.3rem; overflow-wrap: anywhere; white-space: normal; }
  .parted > .scroll, .parted > .rest { display: none; }
  .part { display: table; width: 100%; margin-bottom: 1.2rem; font-size: 8pt; }
  .part td, .part th { white-space: normal; overflow-wrap: break-word; }
  .part caption { position: static; width: auto; height: auto; clip-path: none; font-size: 10pt; }
  .short { break-inside: avoid; }
  /* One page: rows of up to two lines, small if many; others are left out. */
  .overview { border: 0; break-after: page; margin: 0; padding: 0; }
  .overview + main article:first-child { margin-top: 0; }
  .on-paper { display: inline; }
  .summary { table-layout: fixed; font-size: 8pt; line-height: 1.25; }
  .summary th, .summary td { padding-top: 0.2rem; padding-bottom: 0.2rem; }
  .summary th:first-child { width: 38%; }
  .summary .cut { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
  .summary thead th { font-size: 8pt; max-width: none; }
  .summary.many { font-size: 6.5pt; }
  .summary.many th, .summary.many td { padding-top: 0.1rem; padding-bottom: 0.05rem; }
  .summary tbody tr:nth-child(n + 31) { display: none; }
  .formula, .steps dt, .steps dd { overflow: visible; }
  .work::details-content { content-visibility: visible; block-size: auto; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media (forced-colors: active) { .chart, .f0, .f8 { forced-color-adjust: none; } }
  </xsl:template>
</xsl:stylesheet>
