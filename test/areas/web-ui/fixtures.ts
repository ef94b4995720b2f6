import { fileURLToPath } from 'node:url';
import type { AreaFixtures } from '#test/api/fixtures';

const read = 'is read by the page, which asks other rows about it';

/** The page itself, whatever its address ends in. */
const asPage = () => ({ 'params.ending': 'json', 'query.format': 'html' });

const byCode =
  'is the same page for everybody, and holds nothing; other forms have what the share code reads';
/** The page itself, of a code that nobody made. */
const shared = () => ({ ...asPage(), 'params.code': 'none' });

export const fixtures: AreaFixtures = {
  areas: ['web-ui', 'web-ui-additions', 'web-ui-addition-files'],
  settings: { ORRERY_PLUGINS: fileURLToPath(new URL('./plugin.js', import.meta.url)) },
  rows: {
    showApp: {
      aboutCaller: 'is the same page for everybody, and holds who asks',
      notOurs: { 'params.workspace': read },
    },
    showRuns: {
      with: asPage,
      aboutCaller: 'holds who asks, and of the project what other rows tell that caller',
      notOurs: { 'params.workspace': read, 'params.project': read },
    },
    showComparison: {
      with: asPage,
      aboutCaller: 'holds who asks, and of the runs what other rows tell that caller',
      notOurs: { 'params.workspace': read, 'params.project': read },
    },
    showRun: {
      aboutCaller: 'holds who asks, and of the run what other rows tell that caller',
      notOurs: { 'params.workspace': read, 'params.project': read, 'params.key': read },
    },
    showTraces: {
      with: asPage,
      aboutCaller: 'holds who asks, and of the traces what other rows tell that caller',
      notOurs: { 'params.workspace': read, 'params.project': read },
    },
    showTracePage: {
      aboutCaller: 'holds who asks, and of the trace what other rows tell that caller',
      notOurs: { 'params.workspace': read, 'params.project': read, 'params.key': read },
    },
    showModels: {
      with: asPage,
      aboutCaller: 'holds who asks, and of the models what other rows tell that caller',
      notOurs: { 'params.workspace': read },
    },
    showModel: {
      aboutCaller: 'holds who asks, and of the model what other rows tell that caller',
      notOurs: { 'params.workspace': read, 'params.name': read, 'params.version': read },
    },
    showSharedRuns: { open: byCode, with: shared },
    showSharedComparison: { open: byCode, with: shared },
    showSharedRun: { open: byCode },
    showAppFile: {
      open: 'is the same for everybody, and holds nothing',
      with: () => ({ 'params.file': 'LICENSES.txt' }),
    },
    listUiAdditions: { aboutCaller: 'is what plugins add for everybody' },
    showUiAdditionFile: {
      open: 'is the same for everybody, and part of the code of a plugin',
      with: () => ({ 'params.plugin': 'sample-page', 'params.file': 'plugin.js' }),
    },
  },
};
