import { AddressList, familyOf } from './address-list.js'

/**
 * IPv4 networks that are not public destinations (IANA IPv4 Special-Purpose Address Registry, RFC 6890; RFC 5771; RFC
 * 1112).
 */
const REFUSED_IPV4 = new AddressList([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers; in it the metadata service of Alibaba Cloud
  '127.0.0.0/8', // loopback
  '168.63.129.16', // the platform service of Azure, within a public network
  '169.254.0.0/16', // link-local; in it most metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; in it the metadata service of Oracle Cloud
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
])

/**
 * The IPv6 network that is assigned to the public (IANA IPv6 Address Space registry). Outside it are loopback,
 * link-local, unique local and multicast addresses. Addresses that contain an IPv4 address are also outside it: mapped,
 * compatible, translated (64:ff9b::/96).
 */
const GLOBAL_UNICAST_IPV6 = new AddressList(['2000::/3'])

/** Networks in it that are not public destinations (IANA IPv6 Special-Purpose Address Registry). */
const REFUSED_IPV6 = new AddressList([
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which contains an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
])

/** True for an address of the public internet. False for a value that is not an address, or has a zone id. */
export function isPublicAddress(address: unknown): boolean {
  const family = familyOf(address)
  if (family === 4) return !REFUSED_IPV4.has(address)
  return family === 6 && GLOBAL_UNICAST_IPV6.has(address) && !REFUSED_IPV6.has(address)
}
