// `node dist/test/bench/main.js [--quick] [--growth] [--peers] [--site] [--ui] [--only name,name]`: measures what the product promises of its speed, each line
// against a server of its own, and ends with 1 when a line falls short.
import { cpus, platform, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { mebibyte, type Figure, type Line } from './line.js';
import { peersLine } from './peers/comparing.js';
import { alertsLine } from './alerts.js';
import { analyticsLine } from './analytics.js';
import { annotatingLine } from './annotating.js';
import { outputLine } from './output.js';
import { listenersLine } from './listeners.js';
import { artifactLine } from './artifacts.js';
import { bucketLine } from './bucket.js';
import { deletionLine } from './deletion.js';
import { growthLines } from './growth.js';
import { keyLine, revocationLine, usersLine } from './identity.js';
import { ingestLine, rowsLine } from './ingest.js';
import { listingLine } from './listing.js';
import { mergesLine } from './merges.js';
import { assetLine, busyLine, namesLine, wideLine } from './memory.js';
import { monitoringCsvLine, monitoringIngestLine, monitoringReadsLine } from './monitoring.js';
import { oauthLine } from './oauth.js';
import { runTableLine } from './run-table.js';
import { samplingLine } from './sampling.js';
import { requestsLine } from './requests.js';
import { registryLine } from './registry.js';
import { curvesLine, loggedCurvesLine, zoomLine } from './series.js';
import { siteLines } from './site.js';
import { spanListsLine } from './span-lists.js';
import { spanDeletionLine } from './span-deletion.js';
import { spanTreesLine } from './span-trees.js';
import { spansLine } from './spans.js';
import { startLine } from './start.js';
import { uiLine } from './ui.js';
import { uiBytesLine } from './ui-bytes.js';
import { uiChartsLine } from './ui-charts.js';
import { uiManyLine } from './ui-many.js';
import { uiTracesLine } from './ui-traces.js';
import { webhooksLine } from './webhooks.js';
import { acknowledgementsLine, sizeLine, summaryLine } from './store.js';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { values: wanted } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    site: { type: 'boolean', default: false },
    ui: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const lines: readonly Line[] = wanted.peers
  ? [peersLine]
  : wanted.site
    ? siteLines
    : wanted.ui
      ? [uiBytesLine, uiLine, uiChartsLine, uiTracesLine, uiManyLine]
      : wanted.growth
        ? growthLines
        : [
            ingestLine,
            spansLine,
            spanListsLine,
            spanTreesLine,
            spanDeletionLine,
            analyticsLine,
            samplingLine,
            annotatingLine,
            rowsLine,
            requestsLine,
            acknowledgementsLine,
            sizeLine,
            mergesLine,
            summaryLine,
            listingLine,
            runTableLine,
            startLine,
            busyLine,
            namesLine,
            assetLine,
            bucketLine,
            wideLine,
            listenersLine,
            outputLine,
            artifactLine,
            registryLine,
            oauthLine,
            deletionLine,
            webhooksLine,
            alertsLine,
            monitoringIngestLine,
            monitoringReadsLine,
            monitoringCsvLine,
            keyLine,
            revocationLine,
            usersLine,
            zoomLine,
            curvesLine,
            loggedCurvesLine,
          ];
const chosen = wanted.only?.split(',');

const verdict = ({ held }: Figure): string =>
  held === undefined ? '' : `${held.bound}: ${held.holds ? 'held' : 'FELL SHORT'}`;

let fellShort = false;
const show = (figure: Figure): void => {
  print(
    `${figure.what.padEnd(58)} ${figure.value.padStart(12)}   ${verdict(figure).padEnd(22)} ${figure.sides}`,
  );
  fellShort ||= figure.held?.holds === false;
};

const run = async (line: Line): Promise<readonly Figure[]> => {
  try {
    return await line.run({ quick: wanted.quick, tell: show });
  } catch (thrown) {
    return [
      {
        what: line.name,
        value: 'failed',
        sides: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
        held: { bound: 'a result', holds: false },
      },
    ];
  }
};

print(
  `${platform()} ${release()}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${Math.round(totalmem() / mebibyte / 1024)} GiB, Node ${process.version}, embedded Postgres\n`,
);
for (const line of lines.filter(({ name }) => chosen === undefined || chosen.includes(name))) {
  for (const figure of await run(line)) show(figure);
}
process.exitCode = fellShort ? 1 : 0;
