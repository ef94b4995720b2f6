// The files of a version of an artifact, a look at one of them, and what became of them since another version.
import { useState } from 'preact/hooks';
import { formatBytes } from '../../pure/format.js';
import { kindOf } from '../../pure/media.js';
import { useLoaded } from '../loading.js';
import { artifactServer } from '../server.js';
import { Cut } from '../shell/cut.js';
import { Fault, Wait } from '../shell/wait.js';
import { addressIn } from '../../pure/address.js';

type Files = Awaited<ReturnType<typeof artifactServer.files>>['files'];
type OneFile = Files[number];

const mostRows = 1000;
const mostLooked = 200_000;
const readable = /\.(txt|md|json|jsonl|ya?ml|csv|tsv|py|toml|ini|log|xml|html?)$/i;

const addressOf = ({ artifactVersionId, assetId }: OneFile): string =>
  `/api/rest/v2/experiment/asset/get-asset?artifactVersionId=${encodeURIComponent(artifactVersionId)}&assetId=${encodeURIComponent(assetId)}`;

const Look = ({ file }: { file: OneFile }) => {
  const image =
    kindOf({
      type: file.type,
      fileName: file.fileName,
      image: /\.(png|jpe?g|gif|webp|bmp)$/i.test(file.fileName),
    }) === 'image';
  const { value, fault } = useLoaded(
    async (signal) => {
      if (image || !readable.test(file.fileName)) return '';
      const reply = await fetch(addressIn(addressOf(file)), {
        signal,
        headers: { Range: `bytes=0-${mostLooked}` },
      });
      if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
      return await reply.text();
    },
    [file.assetId],
  );
  if (file.remote) return <p class="faint">This file is kept elsewhere: {file.link}</p>;
  if (image) return <img class="look" src={addressOf(file)} alt={file.fileName} />;
  if (fault !== undefined) return <Fault of={fault} />;
  if (!readable.test(file.fileName))
    return <p class="faint">Files of this kind are not shown here; download it.</p>;
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={file.fileName}>
      {value}
      {file.fileSize > mostLooked ? '\n… the rest is in the file' : ''}
    </pre>
  );
};

export const VersionFiles = ({
  artifactId,
  versionId,
}: {
  artifactId: string;
  versionId: string;
}) => {
  const [open, setOpen] = useState<string>();
  const { value, fault } = useLoaded(
    (signal) => artifactServer.files({ query: { artifactId, versionId } }, signal),
    [versionId],
  );
  if (value === undefined) return <Wait fault={fault} />;
  if (value.files.length === 0) return <p class="empty">This version has no files.</p>;
  const shown = value.files.find(({ assetId }) => assetId === open);
  const query = `artifactId=${encodeURIComponent(artifactId)}&versionId=${encodeURIComponent(versionId)}`;
  return (
    <div class="columns">
      <section>
        <p>
          <a class="button" href={`/api/rest/v2/artifacts/version/download?${query}`} download>
            Download all as zip
          </a>
        </p>
        <table class="plain">
          <thead>
            <tr>
              <th>File</th>
              <th class="number">Size</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {value.files.slice(0, mostRows).map((file) => (
              <tr key={file.assetId}>
                <td>
                  <button
                    type="button"
                    class="fold"
                    aria-pressed={file.assetId === open}
                    onClick={() => setOpen(file.assetId === open ? undefined : file.assetId)}
                  >
                    {file.dir !== null && file.dir !== '' && file.dir !== 'others'
                      ? `${file.dir}/`
                      : ''}
                    {file.fileName}
                  </button>
                </td>
                <td class="number short">{formatBytes(file.fileSize)}</td>
                <td class="number">
                  {file.remote ? (
                    <span class="faint">elsewhere</span>
                  ) : (
                    <a href={addressOf(file)} download aria-label={`Download ${file.fileName}`}>
                      ↓
                    </a>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <Cut shown={mostRows} of={value.files.length} what="files" how="the zip has all" />
      </section>
      {shown === undefined ? null : (
        <section>
          <h2>{shown.fileName}</h2>
          <Look key={shown.assetId} file={shown} />
        </section>
      )}
    </div>
  );
};

const bySize = (files: Files) => new Map(files.map((one) => [one.fileName, one.fileSize]));

/** Files that came, went or changed their size from one version to another. */
export const VersionChanges = ({
  artifactId,
  from,
  to,
}: {
  artifactId: string;
  from: string;
  to: string;
}) => {
  const { value, fault } = useLoaded(
    (signal) =>
      Promise.all(
        [from, to].map((versionId) =>
          artifactServer.files({ query: { artifactId, versionId } }, signal),
        ),
      ),
    [from, to],
  );
  if (value === undefined) return <Wait fault={fault} />;
  const [before, after] = value.map(({ files }) => bySize(files));
  const names = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].sort();
  const changes = names.flatMap((name) => {
    const [was, is] = [before?.get(name), after?.get(name)];
    if (was === is) return [];
    return [{ name, sign: was === undefined ? '+' : is === undefined ? '−' : '~', was, is }];
  });
  const count = (sign: string) => changes.filter((one) => one.sign === sign).length;
  return (
    <>
      <p>
        +{count('+')} −{count('−')} ~{count('~')} files;{' '}
        <span class="faint">{names.length - changes.length} have the same name and size</span>
      </p>
      <table class="plain changes">
        <tbody>
          {changes.slice(0, mostRows).map(({ name, sign, was, is }) => (
            <tr key={name}>
              <th scope="row">
                {sign} {name}
              </th>
              <td class="number short">
                {was === undefined ? '' : formatBytes(was)} →{' '}
                {is === undefined ? '' : formatBytes(is)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Cut shown={mostRows} of={changes.length} what="files that differ" />
    </>
  );
};
