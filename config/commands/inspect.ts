// `orrery check`, `settings` and `audit`: what is in force, and whether it works.
import { systemClock } from '#adapters/system/clock';
import { auditBlobs } from '#core/upkeep/audit';
import { check, type CheckResult } from '../check.js';
import { probeFolder, requireDataFolder } from '../data-folder.js';
import { checkToggles, openDrivers } from '../compose.js';
import { requireSchema } from '../first-start.js';
import { shown } from '../load.js';
import type { Output } from '../output.js';
import { settingNames } from '../settings.js';
import { withStorage } from '../with-storage.js';
import { listPlugins, readSettings, withBlobs } from './shared.js';

export const checkInstallation = async (output: Output): Promise<void> => {
  const loaded = readSettings();
  const plugins = await listPlugins(loaded);
  const toggles = checkToggles(loaded, plugins);
  const settings: readonly CheckResult[] = [
    ...[...loaded.warnings, ...toggles.warnings].map((warning) => ({
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

export const showSettings = (output: Output): void => {
  const { values, sources, toggles, warnings } = readSettings();
  for (const name of settingNames)
    output.line(`${name} = ${String(shown(name, values[name]))} (${sources[name]})`);
  for (const [name, toggle] of toggles)
    output.line(`toggle ${name} = ${toggle.enabled ? 'on' : 'off'} (${toggle.source})`);
  for (const warning of warnings) output.note(`${output.warning('warning')}: ${warning}`);
  output.json({
    settings: settingNames.map((name) => ({
      name,
      value: shown(name, values[name]),
      source: sources[name],
    })),
    toggles: [...toggles].map(([name, { enabled, source }]) => ({ name, enabled, source })),
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
