// The files of runs as they are looked at. Where they are found out and fetched is this file's alone.
import type { MediaKind } from '../../pure/media.js';
import {
  filesInParts,
  type AskedFiles,
  type FilesPart,
  type RunFile,
} from '../../pure/run-files.js';
import { runServer } from '../server.js';
import { readable } from '../state.js';
import { addressIn } from '../../pure/address.js';

/** A file that can be looked at. */
export interface Media extends RunFile {
  readonly kind: MediaKind;
}

export const addressOf = ({ run, id }: Pick<Media, 'run' | 'id'>): string =>
  readable(
    `/api/asset/download?experimentKey=${encodeURIComponent(run)}&assetId=${encodeURIComponent(id)}`,
  );

/** The address of the thread's script, put in when the files are built. */
declare const FILES_WORKER: string;

/** Bytes of a list that the page reads by itself in no time. */
const mostHere = 256 * 1024;

const readBeside = (asked: AskedFiles, signal?: AbortSignal): Promise<readonly RunFile[]> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(addressIn(FILES_WORKER));
    const parts: (readonly RunFile[])[] = [];
    const end = () => {
      thread.terminate();
      signal?.removeEventListener('abort', giveUp);
    };
    const fail = (says: string) => {
      end();
      reject(new Error(says));
    };
    const giveUp = () => fail('the list of files is no longer wanted');
    thread.addEventListener('message', ({ data }) => {
      const part = data as FilesPart; // the thread sends nothing else
      if ('files' in part) parts.push(part.files);
      else if ('fault' in part) fail(part.fault);
      else {
        end();
        resolve(parts.flat());
      }
    });
    thread.addEventListener('error', () => fail('the list of files is too long for the browser'));
    signal?.addEventListener('abort', giveUp);
    thread.postMessage(asked, [asked.bytes]);
  });

/** All files of a run. A long list is read by a thread of its own, so that the page is never held up. */
export const loadFiles = async (run: string, signal?: AbortSignal): Promise<readonly RunFile[]> => {
  const reply = await runServer.listAssets.reply({ query: { experimentKey: run } }, signal);
  const asked: AskedFiles = { run, bytes: await reply.arrayBuffer() };
  if (asked.bytes.byteLength > mostHere) return readBeside(asked, signal);
  return [...filesInParts(asked)].flatMap((part) => ('files' in part ? part.files : []));
};

const isMedia = (one: RunFile): one is Media => one.kind !== undefined;

/** The files of a run that can be looked at. */
export const loadMedia = async (run: string, signal?: AbortSignal): Promise<readonly Media[]> =>
  (await loadFiles(run, signal)).filter(isMedia);

const mostRead = 8_000_000;

/** The text of a file; one that is too large to be looked at rejects. */
export const loadText = async (of: Media, signal?: AbortSignal): Promise<string> => {
  if (of.size > mostRead)
    throw new Error(`${of.name} is too large to be looked at here; download it`);
  const reply = await fetch(addressOf(of), signal === undefined ? {} : { signal });
  if (!reply.ok)
    throw new Error(`${of.name} could not be read: the server answered ${reply.status}`);
  return await reply.text();
};
