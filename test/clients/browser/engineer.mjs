// What an engineer of language models traces beside `engineer.py`, by the JavaScript client.
import { Opik } from 'opik';

const client = new Opik({ projectName: 'support' });
const trace = client.trace({ name: 'translate', input: { question: 'how do I say hello?' } });
trace
  .span({ name: 'words', type: 'llm', input: { prompt: 'hello' }, output: { said: 'grüezi' } })
  .end();
trace.update({ output: { answer: 'grüezi' } });
trace.end();
await client.flush();
// In the form in which programs in Python print it.
process.stdout.write('{"name": "translated", "key": "", "url": ""}\n', () => process.exit(0));
