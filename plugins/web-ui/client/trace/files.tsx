// Files of a trace or span: pictures and sounds shown as what they are, all others to download.
import { formatBytes } from '../../pure/format.js';
import { useLoaded } from '../loading.js';
import { readable } from '../state.js';
import { tracesServer } from '../traces-server.js';
import type { EntryKind } from './about.js';
import { Fault } from '../shell/wait.js';
import { addressIn } from '../../pure/address.js';

interface Of {
  readonly kind: EntryKind;
  readonly id: string;
  readonly projectId: string;
}
/** Kinds that hold nothing a browser would run. */
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

const addressOf = ({ kind, id, projectId }: Of, name: string, type: string): string =>
  readable(
    `/v1/private/attachment/download?${new URLSearchParams({
      container_id: projectId,
      entity_type: kind,
      entity_id: id,
      file_name: name,
      mime_type: type,
    }).toString()}`,
  );

const Shown = ({ address, name, type }: { address: string; name: string; type: string }) => {
  if (pictures.includes(type))
    return <img class="stored" src={address} alt={name} loading="lazy" />;
  if (type.startsWith('audio/')) return <audio controls preload="none" src={address} />;
  if (type.startsWith('video/'))
    return <video class="stored" controls preload="none" src={address} />;
  return null;
};

export const Files = (of: Of) => {
  const { value, fault } = useLoaded(
    (signal) =>
      tracesServer.attachments(
        {
          query: {
            project_id: of.projectId,
            entity_type: of.kind,
            entity_id: of.id,
            path: btoa(location.origin + addressIn('/')),
            size: 100,
          },
        },
        signal,
      ),
    [of.kind, of.id, of.projectId],
  );
  if (fault !== undefined) return <Fault of={fault} />;
  if (value === undefined || value.content.length === 0) return null;
  return (
    <section aria-label="Files">
      <h2>Files</h2>
      <ul class="stored-files">
        {value.content.map(({ file_name: name, file_size: size, mime_type: type }) => {
          const address = addressOf(of, name, type);
          return (
            <li key={name}>
              <Shown address={address} name={name} type={type} />
              <a href={address} download={name}>
                {name}
              </a>{' '}
              <span class="faint">
                {type} · {formatBytes(size)}
              </span>
            </li>
          );
        })}
      </ul>
      {value.total > value.content.length ? (
        <p class="faint">
          the first {value.content.length} of {value.total}
        </p>
      ) : null}
    </section>
  );
};
