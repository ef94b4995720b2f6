// A thread that reads the list of a run's files where that is long.
import { filesInParts, type AskedFiles, type FilesPart } from '../../pure/run-files.js';

addEventListener('message', ({ data }) => {
  try {
    // The page sends nothing else.
    for (const part of filesInParts(data as AskedFiles)) postMessage(part);
  } catch (thrown) {
    postMessage({
      fault: thrown instanceof Error ? thrown.message : String(thrown),
    } satisfies FilesPart);
  }
});
