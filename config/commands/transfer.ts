// `orrery export` and `orrery import`.
import { openDrivers } from '../opening.js';
import { requireDataFolder } from '../data-folder.js';
import type { Output } from '../output.js';
import { exportTo, importFrom, verifyFile, type Transferred } from '../transfer.js';
import { withStorage } from '../with-storage.js';
import { listPlugins, readSettings, withBlobs } from './shared.js';

const show = (output: Output, { sentence, ...carried }: Transferred): void => {
  output.line(sentence);
  output.json(carried);
};

export const exportFile = async (
  file: string,
  { withoutBytes, verify }: { readonly withoutBytes?: boolean; readonly verify?: boolean },
  output: Output,
): Promise<void> => {
  if (verify === true) {
    show(output, await verifyFile(file, output.note));
    return;
  }
  const loaded = readSettings();
  requireDataFolder(loaded, { bytes: withoutBytes !== true });
  const drivers = openDrivers(loaded, await listPlugins(loaded)); // one may be a plugin's
  await withStorage(loaded, async (opened) => {
    await withBlobs(drivers, async ({ blob }) => {
      show(
        output,
        await exportTo(
          file,
          { withBytes: withoutBytes !== true },
          { opened, blob, tell: output.note },
        ),
      );
    });
  });
};

export const importFile = async (file: string, output: Output): Promise<void> => {
  await verifyFile(file, () => undefined);
  const loaded = readSettings();
  const plugins = await listPlugins(loaded);
  await withStorage(
    loaded,
    async (opened) => {
      await withBlobs(openDrivers(loaded, plugins), async ({ blob }) => {
        show(output, await importFrom(file, { opened, plugins, blob, tell: output.note }));
      });
    },
    { makes: true },
  );
};
