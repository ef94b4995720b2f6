import { expect } from 'chai';
import { linkTo, readBase } from '#core/attachments/links';
import { isFailure } from '#ports/failure';

const server = 'https://orrery.example:8443/some/path';
const encoded = (text: string): string => Buffer.from(text).toString('base64url');
const baseOf = (address: string): string => readBase(encoded(address), server);
const outside = 'https://orrery.example:8443/api';
const own = `${server}/api`;

describe('addresses below which links to files are made', () => {
  it('are those by which a client knows this server, with or without a slash at the end', () => {
    for (const place of ['https://orrery.example:8443', server])
      for (const below of ['', '/api', '/opik/api', '/opik'])
        for (const end of ['', '/'])
          expect(baseOf(`${place}${below}${end}`)).to.equal(`${place}${below}`);
    expect(baseOf('HTTPS://ORRERY.example:8443/api')).to.equal(outside);
    expect(
      readBase(Buffer.from('https://orrery.example:8443/opik').toString('base64'), server),
    ).to.equal('https://orrery.example:8443/opik');
  });

  it('are below the host where the server has no path of it', () => {
    for (const address of ['https://elsewhere.example/api', `${server}/api`])
      expect(readBase(encoded(address), 'https://orrery.example:8443'), address).to.equal(outside);
  });

  it("are the server's own for every other host, scheme, port, place and form", () => {
    for (const address of [
      'https://elsewhere.example/api',
      'https://orrery.example/api',
      'https://orrery.example:8444/api',
      'http://orrery.example:8443/api',
      'https://orrery.example:8443.elsewhere.example/api',
      'https://orrery.example:8443@elsewhere.example/api',
      'https://elsewhere.example\\@orrery.example:8443/api',
      'https://elsewhere.example#@orrery.example:8443/api',
      'https://elsewhere.example?https://orrery.example:8443/api',
      '//elsewhere.example/api',
      'file:///etc/passwd',
      'file://orrery.example:8443/api',
      'javascript:alert(1)//https://orrery.example:8443/api',
      'data:text/html,https://orrery.example:8443/api',
      'blob:https://orrery.example:8443/api',
      'https://orrery.example:8443/api/../../elsewhere',
      'https://orrery.example:8443/api/%2e%2e/elsewhere',
      'https://orrery.example:8443/api//elsewhere.example',
      'https://orrery.example:8443/v1/private/attachment/download?x=',
      'https://orrery.example:8443/other-workspace/api',
      'https://orrery.example:8443/some/pathology/api',
      'https://orrery.example:8443/some/path/some/path/api',
      '../../api',
      '/api',
      'api',
      ' ',
      '\0',
      'https://',
      'https://[::1',
    ])
      expect(baseOf(address), address).to.equal(own);
  });

  it('carry no name, key, query or part of what was sent', () => {
    for (const address of [
      'https://ann:secret@orrery.example:8443/api',
      'https://orrery.example:8443/api?apiKey=secret',
      'https://orrery.example:8443/api#secret',
      'https://orrery.example:8443/x/../api',
    ])
      expect(linkTo(baseOf(address), 'download', { file_name: 'a&b #1/../x' })).to.equal(
        `${outside}/v1/private/attachment/download?file_name=a%26b+%231%2F..%2Fx`,
      );
  });

  it('are refused where they are no base64 of a text', () => {
    for (const path of ['!', 'https://orrery.example:8443/api', '_-8', '=', ' ', 'a'])
      try {
        readBase(path, server);
        expect.fail(`${path} was taken`);
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown;
        expect([thrown.kind, thrown.message]).to.deep.equal([
          'invalid',
          'path must be base64 of an address',
        ]);
      }
  });
});
