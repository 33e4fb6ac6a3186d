import { describe, expect, it } from 'vitest'
import { networkOf } from '../../../src/tenancy/throttle.js'

describe('the network of an address', () => {
  // A72
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::2::3', '1::2::3'],
    ['12345::1', '12345::1'],
    ['1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8:9'],
    ['unix:/run/alcove', 'unix:/run/alcove'],
    ['', ''],
  ])('%s belongs to %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
