package secret

import "encoding/base32"

// seedLength is the length of a seed of NATS: two bytes of type, a key of 32 and a checksum,
// in base32.
const seedLength = 58

// natsSeed is the length of a seed at the start of text, 0 for none: "S", a type of key, and a
// checksum that is right, so a word of capitals is none.
func natsSeed(text string) int {
	if len(text) < seedLength || text[0] != 'S' || len(text) > seedLength && tokenByte(text[seedLength]) {
		return 0
	}
	switch text[1] {
	case 'U', 'A', 'O', 'N', 'C', 'X':
	default:
		return 0
	}
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text[:seedLength])
	if err != nil || len(raw) < 4 {
		return 0
	}
	body, sum := raw[:len(raw)-2], raw[len(raw)-2:]
	if crc16(body) != uint16(sum[0])|uint16(sum[1])<<8 {
		return 0
	}
	return seedLength
}

// crc16 is the checksum of NATS: CRC-16/XMODEM.
func crc16(data []byte) (crc uint16) {
	for _, b := range data {
		crc ^= uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}
