// The page at the root: what this is, how it is, and how to point a script at it. No script in it, nothing fetched from elsewhere.
import { icon } from './frame.js';

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

export const homePage = ({
  version,
  baseUrl,
  fault,
}: {
  readonly version: string;
  readonly baseUrl: string;
  readonly fault: string | undefined;
}): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Orrery</title><link rel="icon" href="${icon}">
<style>
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:44rem;margin:8vh auto;padding:0 1.25rem}
h1{font-size:2rem;margin:0 0 .25rem}p{margin:.5rem 0}
.state{display:inline-block;padding:.1rem .6rem;border-radius:1rem;background:${fault === undefined ? '#1a7f37' : '#b42318'};color:#fff;font-size:.875rem}
pre{background:rgba(127,127,127,.12);padding:1rem;border-radius:.5rem;overflow-x:auto;font-size:.9rem}
small{opacity:.7}a{color:inherit}
</style></head><body>
<h1>Orrery</h1>
<p>Experiment tracking, model registry, artifacts and LLM observability on your own machine.</p>
<p><span class="state">${fault === undefined ? 'ready' : escape(fault)}</span> <small>version ${escape(version)}</small></p>
<h2>Point a script here</h2>
<pre>export COMET_URL_OVERRIDE=${escape(baseUrl)}/clientlib/
export COMET_API_KEY=&lt;your key&gt;
export COMET_WORKSPACE=&lt;your workspace&gt;</pre>
<pre>import comet_ml
experiment = comet_ml.start(project_name="first")
experiment.log_metric("loss", 0.25, step=1)
experiment.end()</pre>
<p>An administrator makes a key for you with <code>npx orrery user add NAME</code>. Clients of other languages take the address <code>${escape(baseUrl)}</code>.</p>
<p><a href="/login">Sign in</a> to see your sessions and keys.</p>
<p><small><a href="/openapi.json">API description</a> · <a href="/health/ready">health</a> · <a href="/metrics">figures</a></small></p>
</body></html>
`;
