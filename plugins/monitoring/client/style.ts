/** Rules of the page alone, in the colours of the web UI around it. */
export const rules = `
monitored-models { display: block; }
monitored-models .mon-bar { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 8px 0; }
monitored-models .mon-choice { display: inline-flex; flex-wrap: wrap; }
monitored-models .mon-choice button[aria-pressed='true'] { background: var(--tint); color: var(--accent); border-color: var(--accent); }
monitored-models .mon-link { background: none; border: 0; padding: 0; color: var(--accent); font: inherit; text-decoration: underline; cursor: pointer; text-align: start; overflow-wrap: anywhere; }
monitored-models .mon-scroll { overflow-x: auto; margin: 12px 0; }
monitored-models .mon-table { border-collapse: collapse; min-width: 100%; }
monitored-models .mon-table caption { text-align: start; color: var(--faint); padding: 4px 0; }
monitored-models .mon-table th, monitored-models .mon-table td { text-align: start; padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); font-weight: normal; min-width: 6em; max-width: 28em; overflow-wrap: anywhere; vertical-align: baseline; }
monitored-models .mon-table thead th { color: var(--faint); }
monitored-models .mon-figure { margin: 12px 0; max-width: 760px; }
monitored-models .mon-figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); column-gap: 24px; }
monitored-models .mon-figure svg { width: 100%; height: auto; border: 1px solid var(--line); }
monitored-models .mon-ends { display: flex; justify-content: space-between; margin: 0; }
monitored-models .mon-spark { width: 100px; height: 24px; vertical-align: middle; }
monitored-models .mon-main { fill: none; stroke: var(--accent); stroke-width: 2; }
monitored-models .mon-dot { fill: var(--accent); }
monitored-models .mon-bound { fill: none; stroke: var(--faint); stroke-dasharray: 4 4; }
monitored-models .mon-current { fill: var(--accent); }
monitored-models .mon-baseline { fill: var(--faint); }
monitored-models .mon-key::before { content: ''; display: inline-block; width: 10px; height: 10px; margin-inline-end: 4px; background: var(--faint); }
monitored-models .mon-key-current::before { background: var(--accent); }
monitored-models .mon-sql { display: block; width: 100%; max-width: 760px; box-sizing: border-box; font-family: monospace; }
monitored-models .good { color: var(--good); }
monitored-models .fault { color: var(--fault); }
monitored-models .faint { color: var(--faint); }
`;
