/** The addresses and spellings of the rules for destinations (cases S), literally. */
export const REFUSED_IPV4: readonly string[] = `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.0 100.127.255.255 100.100.100.200
  127.0.0.1 127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.170.2 172.16.0.0 172.31.255.255 192.0.0.1
  192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.255.255 192.175.48.1 198.18.0.0 198.19.255.255
  198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255`.split(/\s+/)

export const REFUSED_IPV6: readonly string[] = `:: ::1 ::2 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8
  ::ffff:0:127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:2::1 2001:10::1 2001:20::1
  2001:db8::1 2001:1ff::1 2002:7f00:1::1 2002:a9fe:a9fe::1 2620:4f:8000::1 3fff::1 4000::1 5f00::1 fc00::1
  fd00:ec2::254 fd20:ce::254 fe80::1 fe80::1%eth0 febf::1 fec0::1 ff02::1 ff0e::1`.split(/\s+/)

export const PUBLIC: readonly string[] = `8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
  128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 198.17.255.255
  198.20.0.0 223.255.255.255 2001:200::1 2001:4860:4860::8888 2606:4700:4700::1111`.split(/\s+/)

/** Hosts that the URL Standard reads as an address of loopback or of metadata. */
export const SPELLED_ADDRESSES: readonly string[] = `127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001
  0 0x 127.0.0.0x1 127.0.0.1. 127%2e0%2e0%2e1 127。0。0。1 ①②⑦.⓪.⓪.① 2852039166 0xA9FEA9FE
  0251.0376.0251.0376`.split(/\s+/)

/** URLs whose form excludes them as destinations. */
export const MALFORMED_URLS: readonly string[] = [
  'https:127.0.0.1',
  'https:\\127.0.0.1',
  'https:\\\\127.0.0.1',
  'https://127.0.\t0.1/',
  'https://127.0.\n0.1/',
  'https://7147006462/',
  'https://425.510.425.510/',
  'https://[127.0.0.1]/',
  'https://[::1%lo]/',
  'https://::1/',
  'https://hooks.example.test:65536/',
  'https://xn--a/',
]
