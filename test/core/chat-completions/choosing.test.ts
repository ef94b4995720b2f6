import { expect } from 'chai';
import { chooseModel } from '#core/chat-completions/choosing';
import { isFailure } from '#ports/failure';
import type { Provider, ProviderKey } from '#ports/model/provider-keys';

const key = (provider: Provider, more: Partial<ProviderKey> = {}): ProviderKey => ({
  workspaceId: 'w',
  id: `${provider} ${more.providerName ?? ''}`,
  provider,
  providerName: undefined,
  name: undefined,
  sealedKey: undefined,
  maskedKey: undefined,
  sealedHeaders: undefined,
  configuration: undefined,
  baseUrl: undefined,
  createdAt: 0,
  createdBy: 'a',
  lastUpdatedAt: 0,
  lastUpdatedBy: 'a',
  ...more,
});
const custom = (providerName: string | undefined, baseUrl = 'https://models.example/v1/') =>
  key('custom-llm', { providerName, baseUrl });
const choose = (name: string, ...keys: readonly ProviderKey[]) =>
  chooseModel(name, keys, (model) => (model === 'priced' ? 'gemini' : undefined));
const refusal = (name: string, ...keys: readonly ProviderKey[]): string | undefined => {
  try {
    choose(name, ...keys);
  } catch (thrown) {
    if (isFailure(thrown) && thrown.kind === 'invalid') return thrown.message;
    throw thrown;
  }
  return undefined;
};

describe('a model by its name', () => {
  const [openai, anthropic, gemini, openrouter] = [
    key('openai'),
    key('anthropic'),
    key('gemini'),
    key('openrouter'),
  ];
  const all = [openai, anthropic, gemini, openrouter];

  it('belongs to the provider whose own names begin so', () => {
    for (const [name, provider, wire] of [
      ['gpt-4o-mini', openai, 'openai'],
      ['o3-mini', openai, 'openai'],
      ['ft:gpt-4o:me::1', openai, 'openai'],
      ['claude-sonnet-4-5', anthropic, 'anthropic'],
      ['gemini-2.5-flash', gemini, 'gemini'],
      ['priced', gemini, 'gemini'],
    ] as const)
      expect(choose(name, ...all), name).to.deep.include({ key: provider, model: name, wire });
  });

  it('with the name of its maker is asked of OpenRouter, or of the maker where there is no key for that', () => {
    expect(choose('openai/gpt-4o', ...all)).to.include({ key: openrouter, model: 'openai/gpt-4o' });
    expect(choose('openai/gpt-4o', openai)).to.include({ key: openai, model: 'gpt-4o' });
    expect(choose('google/gemini-2.5-pro', gemini)).to.include({ model: 'gemini-2.5-pro' });
    expect(choose('mistralai/mistral-large', ...all)).to.include({
      key: openrouter,
      model: 'mistralai/mistral-large',
    });
    expect(choose('openrouter/openai/gpt-4o', ...all)).to.include({ model: 'openai/gpt-4o' });
    expect(choose('openrouter/auto', ...all)).to.include({ model: 'openrouter/auto' });
  });

  it('of a provider with several keys belongs to the one whose name comes next', () => {
    const [one, longer, nameless] = [custom('vllm'), custom('vllm/eu'), custom(undefined)];
    expect(choose('custom-llm/vllm/qwen/3', one, longer)).to.include({ key: one, model: 'qwen/3' });
    expect(choose('custom-llm/vllm/eu/qwen', one, longer)).to.include({
      key: longer,
      model: 'qwen',
    });
    expect(choose('custom-llm/qwen', one, nameless)).to.include({ key: nameless, model: 'qwen' });
    expect(refusal('custom-llm/qwen', one)).to.match(/provider custom-llm/);
    expect(refusal('custom-llm/vllm/', one)).to.match(/not supported/);
  });

  it('is asked at the address of its key, or else at that of its provider', () => {
    expect(choose('gpt-4o', openai).baseUrl).to.equal('https://api.openai.com/v1');
    expect(
      choose('gpt-4o', key('openai', { baseUrl: 'https://proxy.example//' })).baseUrl,
    ).to.equal('https://proxy.example');
    for (const baseUrl of ['http://ollama.example', 'http://ollama.example/v1/'])
      expect(
        choose('ollama/home/llama3', key('ollama', { providerName: 'home', baseUrl })),
      ).to.include({ baseUrl: 'http://ollama.example/v1', model: 'llama3' });
    expect(refusal('ollama/llama3', key('ollama'))).to.match(/has no base_url/);
    expect(refusal('vertex_ai/gemini-2.5-pro', key('vertex-ai'))).to.match(/has no base_url/);
  });

  it('is refused where it is nobody’s, or there is no key for its provider', () => {
    expect(refusal('', ...all)).to.match(/not supported/);
    expect(refusal('my-model', ...all)).to.match(/my-model is not supported/);
    for (const name of ['__proto__/x', 'constructor/x', 'toString'])
      expect(refusal(name, openai), name).to.be.a('string');
    expect(refusal('gpt-4o', anthropic)).to.match(/provider openai .* model gpt-4o/);
    expect(refusal('openai/gpt-4o', anthropic)).to.match(/provider openai /);
  });
});
