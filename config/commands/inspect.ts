// `orrery check`, `settings` and `audit`: what is in force, and whether it works.
import { systemClock } from '#adapters/system/clock';
import { auditBlobs } from '#core/upkeep/audit';
import { check, type CheckResult } from '../check.js';
import { probeFolder, requireDataFolder } from '../data-folder.js';
import { checkToggles } from '../joining.js';
import { openDrivers } from '../opening.js';
import { requireSchema } from '../first-start.js';
import { shown, unknownSettings, type Loaded } from '../load.js';
import type { Output } from '../output.js';
import type { ImportedPlugin } from '../plugins.js';
import { withStorage } from '../with-storage.js';
import { listPlugins, readSettings, withBlobs } from './shared.js';

/** A sentence for each name that the product does not know; only a start knows what areas of plugins bring. */
const unknownHere = (loaded: Loaded): readonly string[] => {
  const { faults, warnings } = unknownSettings(loaded);
  const unless = loaded.plugins.length === 0 ? '' : ', unless an area of a plugin brings it';
  return [...faults, ...warnings].map((sentence) => `${sentence}${unless}`);
};

export const checkInstallation = async (output: Output): Promise<void> => {
  const loaded = readSettings();
  const plugins = await listPlugins(loaded);
  const toggles = checkToggles(loaded, plugins);
  const settings: readonly CheckResult[] = [
    ...[...loaded.warnings, ...toggles.warnings, ...unknownHere(loaded)].map((warning) => ({
      what: 'the settings',
      warning,
    })),
    ...toggles.faults.map((fault) => ({ what: 'the settings', fault })),
  ];
  const isWritable = async (): Promise<void> => {
    requireDataFolder(loaded, { bytes: true });
    await probeFolder(loaded.values);
  };
  const results = [
    ...settings,
    ...(await check(loaded, {
      withStorage,
      isWritable,
      openBlobs: () => openDrivers(loaded, plugins).openBlobs(),
      requireWays: () => {
        openDrivers(loaded, plugins).requireWays();
      },
    })),
  ];
  for (const { what, fault, warning } of results) {
    const word =
      fault !== undefined
        ? output.bad('FAILED ')
        : warning !== undefined
          ? output.warning('warning')
          : output.good('ok     ');
    output.line(
      `${word} ${what}${fault === undefined && warning === undefined ? '' : `: ${fault ?? warning ?? ''}`}`,
    );
  }
  output.json(results);
  if (results.some(({ fault }) => fault !== undefined)) process.exitCode = 1;
};

/** Settings, toggles and drivers that plugins bring; what is set under a name that speaks of a secret is masked. */
const ofPlugins = (plugins: readonly ImportedPlugin[]) =>
  plugins.map(({ plugin, settings }) => ({
    name: plugin.name,
    settings: Object.entries(settings as Readonly<Record<string, unknown>>).map(
      ([name, value]) => ({
        name,
        value: /secret|token|password|key/i.test(name) && value !== '' ? '…' : value,
      }),
    ), // the schema of a plugin's settings is an object's
    drivers: (plugin.drivers ?? []).map(({ port, name }) => ({ port, name })),
  }));

/** Every toggle by name: the loaded ones, and those of plugins that nobody has set. */
const togglesOf = ({ toggles }: Loaded, plugins: readonly ImportedPlugin[]) => {
  const brought = plugins.flatMap(({ plugin: { toggle } }) =>
    toggle === undefined || toggles.has(toggle.name)
      ? []
      : [{ name: toggle.name, enabled: toggle.default, source: 'default' as const }],
  );
  return [
    ...[...toggles].map(([name, { enabled, source }]) => ({ name, enabled, source })),
    ...brought,
  ];
};

export const showSettings = async (output: Output): Promise<void> => {
  const loaded = readSettings();
  const imported = await listPlugins(loaded);
  const [plugins, toggles] = [ofPlugins(imported), togglesOf(loaded, imported)];
  for (const one of loaded.all) output.line(`${one.name} = ${String(shown(one))} (${one.source})`);
  for (const { name, enabled, source } of toggles)
    output.line(`toggle ${name} = ${enabled ? 'on' : 'off'} (${source})`);
  for (const plugin of plugins) {
    for (const { name, value } of plugin.settings)
      output.line(`plugin ${plugin.name}: ${name} = ${JSON.stringify(value)}`);
    for (const { port, name } of plugin.drivers)
      output.line(`plugin ${plugin.name}: brings the ${port} driver ${name}`);
  }
  const warnings = [...loaded.warnings, ...unknownHere(loaded)];
  for (const warning of warnings) output.note(`${output.warning('warning')}: ${warning}`);
  output.json({
    settings: loaded.all.map((one) => ({
      name: one.name,
      value: shown(one),
      source: one.source,
    })),
    toggles,
    plugins,
    warnings,
  });
};

export const auditBytes = async (
  { fix }: { readonly fix: boolean },
  output: Output,
): Promise<void> => {
  const loaded = readSettings();
  requireDataFolder(loaded, { bytes: true });
  const drivers = openDrivers(loaded, await listPlugins(loaded)); // one may be a plugin's
  await withStorage(loaded, async (opened) => {
    await requireSchema(opened, loaded.values);
    const findings: string[] = [];
    const counts = await withBlobs(drivers, (store) =>
      auditBlobs({ stores: opened.storage.stores, store, clock: systemClock }, fix, (finding) => {
        findings.push(finding.what);
        output.line(
          `${fix && finding.removed ? output.good('removed') : output.bad('found  ')} ${finding.what}`,
        );
      }),
    );
    output.line(
      `${counts.blobs} blobs and ${counts.rows} rows looked at, ${counts.found} findings, ${counts.removed} removed`,
    );
    output.json({ ...counts, findings });
    if (counts.found > counts.removed) process.exitCode = 1;
  });
};
