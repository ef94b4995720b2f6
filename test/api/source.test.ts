import { expect } from 'chai';
import { networkOf } from '#adapters/http/source';

describe('what stands for everybody behind an address', () => {
  it('is the address, of IPv6 the network of one customer, however it is written', () => {
    expect(['192.0.2.1', '::ffff:192.0.2.1', ''].map(networkOf)).to.deep.equal([
      '192.0.2.1',
      '192.0.2.1',
      '',
    ]);
    for (const same of [
      '2001:db8:1:2::1',
      '2001:DB8:1:2:3:4:5:6',
      '2001:0db8:0001:0002:ffff::',
      '2001:db8:1:2::1%eth0',
    ])
      expect(networkOf(same), same).to.equal('2001:db8:1:2::/64');
    expect(['::1', '2001:db8::1'].map(networkOf)).to.deep.equal([
      '0:0:0:0::/64',
      '2001:db8:0:0::/64',
    ]);
  });
});
