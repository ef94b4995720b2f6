// The thread beside: writes the points of chunks as text.
import { serveBeside } from '../beside.js';
import { writeChunk, type StoredChunk } from './point-text.js';

serveBeside((chunk: StoredChunk) => {
  const made = writeChunk(chunk);
  return { made, memory: [made.buffer] };
});
