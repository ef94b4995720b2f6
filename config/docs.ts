// Writes the generated parts of the README: settings, toggles and operations. `--check` only says whether they are current.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serviceArea, swaggerArea, versionArea } from '#adapters/http/service';
import { areas } from '#core/areas';
import { changes, takesNarrowed, type Operation } from '#ports/api/operation';
import { reach, standings, verdictOn } from '#ports/api/reach';
import { allSettingRows } from './load.js';
import { toggleRows } from './toggles.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');

const settingsTable = (): string =>
  [
    '| Setting | Default | What it does |',
    '| --- | --- | --- |',
    ...Object.entries(allSettingRows).map(
      ([name, row]) =>
        `| \`${name}\` | ${row.default === '' ? '' : `\`${String(row.default)}\``} | ${cell(row.says)} |`,
    ),
  ].join('\n');

const togglesTable = (): string =>
  [
    '| Toggle | Default | What it decides |',
    '| --- | --- | --- |',
    ...Object.entries(toggleRows).map(
      ([name, row]) => `| \`${name}\` | ${row.default ? 'on' : 'off'} | ${cell(row.says)} |`,
    ),
  ].join('\n');

const operationsTable = (): string =>
  [...areas, versionArea, serviceArea, swaggerArea]
    .map((area) =>
      [
        `<details><summary>${area.name} (${Object.keys(area.table).length})</summary>\n`,
        '| Operation | Method and path | Access | What it does |',
        '| --- | --- | --- | --- |',
        ...Object.entries(area.table).map(
          ([id, row]) =>
            `| \`${id}\` | ${row.method} \`${cell([row.path].flat()[0] ?? '')}\` | ${row.access.needs} | ${cell(row.summary)} |`,
        ),
        '\n</details>',
      ].join('\n'),
    )
    .join('\n');

const verdicts: Readonly<Record<string, string>> = {
  allowed: 'yes',
  refused: 'no',
  unknown: 'as if it did not exist',
};
const rolesTable = (): string =>
  [
    `| Access | ${standings.join(' | ')} |`,
    `| --- |${standings.map(() => ' --- |').join('')}`,
    ...Object.entries(reach).map(
      ([access, row]) =>
        `| ${access} | ${standings.map((standing) => verdicts[row[standing]] ?? '').join(' | ')} |`,
    ),
  ].join('\n');

/** What credentials that are narrowed may do, in three sorts of operations. */
const narrowedTable = (): string => {
  const rows = areas
    .flatMap((area) => Object.entries(area.table as Readonly<Record<string, Operation>>))
    .filter(([, { access }]) => !['public', 'visitor', 'signed'].includes(access.needs));
  const isAllowed = (operation: Operation, readsOnly: boolean): boolean =>
    verdictOn(operation, 'admin', { narrowed: true, readsOnly }) === 'allowed';
  const sorts: readonly (readonly [string, (operation: Operation) => boolean])[] = [
    ['read', (operation) => takesNarrowed(operation) && !changes(operation)],
    ['change data', (operation) => takesNarrowed(operation) && changes(operation)],
    [
      'change who may do what, or reach further than the credential',
      (operation) => !takesNarrowed(operation),
    ],
  ];
  const verdict = (of: readonly (readonly [string, Operation])[], readsOnly: boolean): string => {
    const n = of.filter(([, operation]) => isAllowed(operation, readsOnly)).length;
    return n === 0 ? 'no' : `yes, ${n}`;
  };
  return [
    '| Operations that | key that may only read | key of one workspace, access token, guest | key of one project | Which |',
    '| --- | --- | --- | --- | --- |',
    ...sorts.map(([title, isOf]) => {
      const of = rows.filter(
        ([, operation]) => isOf(operation) && operation.access.needs !== 'organization-admin',
      );
      const within = verdict(of, false);
      return `| ${title} | ${verdict(of, true)} | ${within === 'no' ? 'no' : `${within}, in that workspace`} | ${within === 'no' ? 'no' : 'those about that project and its experiments'} | ${title === 'read' || of.length > 60 ? 'all others' : of.map(([id]) => `\`${id}\``).join(', ')} |`;
    }),
    "| are an installation administrator's | no | no | no | those with access `organization-admin` |",
  ].join('\n');
};

/** The text with its generated parts made again; everything else stays as it is. */
export const renew = (text: string): string => {
  const parts: Readonly<Record<string, () => string>> = {
    settings: settingsTable,
    toggles: togglesTable,
    operations: operationsTable,
    roles: rolesTable,
    narrowed: narrowedTable,
  };
  return Object.entries(parts).reduce(
    (before, [name, make]) =>
      before.replace(
        new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- end of ${name} -->)`),
        (_, start: string, end: string) => `${start}${make()}\n${end}`,
      ),
    text,
  );
};

export const readmePath = fileURLToPath(new URL('../../README.md', import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const before = readFileSync(readmePath, 'utf8');
  const after = renew(before);
  if (process.argv.includes('--check')) {
    if (before !== after) {
      process.stderr.write('the README is not current; run npm run docs\n');
      process.exitCode = 1;
    }
  } else if (before !== after) writeFileSync(readmePath, after);
}
