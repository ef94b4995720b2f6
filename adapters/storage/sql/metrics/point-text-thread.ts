// The thread beside: writes the points of chunks as text.
import { serveBeside } from '../beside.js';
import { writeChunks, type StoredChunks } from './point-text.js';

serveBeside((chunks: StoredChunks) => {
  const made = writeChunks(chunks);
  return { made, memory: [made.buffer] };
});
