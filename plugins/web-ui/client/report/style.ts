/** How a report looks, in its own file as in the app: a sheet that the script makes needs no place in any policy. */
export const reportStyle = `.report {
  color-scheme: light;
  --paper: #ffffff;
  --ink: #17181c;
  --pale: #5d616a;
  --rule: #e3e4e8;
  color: var(--ink);
  background: var(--paper);
  padding: 16px;
  font:
    14px/20px system-ui,
    sans-serif;
}
.report.dark {
  color-scheme: dark;
  --paper: #101114;
  --ink: #e7e8ec;
  --pale: #969ba6;
  --rule: #2b2e36;
}
body > .report:first-child) {
  color-scheme: light dark;
  background: light-dark(#ffffff, #101114);
}
body > .report:first-child {
  max-width: 1100px;
  margin: 0 auto;
}
.report h1 {
  font-size: 22px;
  line-height: 28px;
  overflow-wrap: anywhere;
}
.report h2 {
  font-size: 15px;
  margin: 20px 0 4px;
  overflow-wrap: anywhere;
}
.report .faint {
  color: var(--pale);
  overflow-wrap: anywhere;
}
.report .cut {
  font-weight: 600;
}
.report dl {
  display: grid;
  grid-template-columns: max-content 1fr;
  gap: 2px 12px;
  overflow-wrap: anywhere;
}
.report dt {
  color: var(--pale);
}
.report dd {
  margin: 0;
}
.report .scroll,
.report pre {
  max-height: 460px;
  overflow: auto;
  border: 1px solid var(--rule);
  border-radius: 6px;
}
.report pre {
  padding: 8px;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
.report table {
  border-collapse: collapse;
  font-size: 12px;
}
.report td,
.report th {
  padding: 3px 8px;
  text-align: left;
  border-bottom: 1px solid var(--rule);
  white-space: nowrap;
  max-width: 360px;
  overflow: hidden;
  text-overflow: ellipsis;
}
.report .number {
  text-align: right;
  font-variant-numeric: tabular-nums;
}
.report .chart > svg {
  display: block;
  width: 100%;
  max-width: 900px;
  height: auto;
  font-size: 11px;
  touch-action: pan-y;
}
.report svg text {
  fill: var(--pale);
}
.report .grid {
  stroke: var(--rule);
}
.report .ruler {
  stroke: var(--pale);
  fill: none;
}
.report .band {
  fill: var(--pale);
  fill-opacity: 0.2;
}
.report .legend {
  display: flex;
  flex-wrap: wrap;
  gap: 2px 12px;
  font-size: 12px;
  overflow-wrap: anywhere;
}
.report .values {
  list-style: none;
  margin: 0;
  padding: 0;
  display: flex;
  flex-wrap: wrap;
  gap: 2px 12px;
  font-size: 12px;
  overflow-wrap: anywhere;
}
.report .place {
  margin: 0;
}
`;
