// The ZIP archive of a workbook, put together from archives that have one sheet each: their compressed bytes are copied
// as they are. It stays below 4 GiB, so that every program can read it.

import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const END_BYTES = 22
const LOCAL_BYTES = 30
const CENTRAL_BYTES = 46
const VERSION = 20
/** 1 January 1980, the first day that the format has: the same rows give the same bytes. */
const DAY = 33
const CHUNK_BYTES = 1 << 20
const MOST_BYTES = 0xffffffff

/** A file within an archive. */
export interface ArchivePart {
  readonly name: string
  readonly method: number
  readonly crc: number
  readonly compressedBytes: number
  readonly bytes: number
  /** Where its header begins. */
  readonly offset: number
}

/** Parts of an archive that ends without a comment. Throws where there is none. */
export async function readParts(archive: FileHandle): Promise<ArchivePart[]> {
  const { size } = await archive.stat()
  const end = await readBytes(archive, size - END_BYTES, END_BYTES)
  if (end.readUInt32LE(0) !== END) throw new Error('this is no ZIP archive, or one with a comment')
  const directory = await readBytes(archive, end.readUInt32LE(16), end.readUInt32LE(12))
  const parts: ArchivePart[] = []
  for (let at = 0; at < directory.length; ) {
    const nameEnd = at + CENTRAL_BYTES + directory.readUInt16LE(at + 28)
    parts.push({
      name: directory.toString('utf8', at + CENTRAL_BYTES, nameEnd),
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      compressedBytes: directory.readUInt32LE(at + 20),
      bytes: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
    })
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return parts
}

/** Writes an archive into an empty file. */
export class ArchiveWriter {
  readonly #file: FileHandle
  readonly #parts: ArchivePart[] = []
  #at = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Adds a short text as `name`. */
  async add(name: string, text: string): Promise<void> {
    const content = Buffer.from(text)
    const sizes = { compressedBytes: content.length, bytes: content.length }
    await this.#begin({ name, method: 0, crc: crc32(content), ...sizes })
    await this.#append(content)
  }

  /** Adds a part of another archive as `name`. */
  async copy(part: ArchivePart, from: FileHandle, name: string): Promise<void> {
    await this.#begin({ ...part, name })
    const header = await readBytes(from, part.offset, LOCAL_BYTES)
    const start = part.offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
    for (let done = 0; done < part.compressedBytes; done += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, part.compressedBytes - done)
      await this.#append(await readBytes(from, start + done, length))
    }
  }

  /** Ends the archive. */
  async end(): Promise<void> {
    const start = this.#at
    for (const part of this.#parts) {
      const entry = Buffer.alloc(CENTRAL_BYTES)
      entry.writeUInt32LE(CENTRAL, 0)
      entry.writeUInt16LE(VERSION, 4)
      writeFields(entry, 6, part)
      entry.writeUInt32LE(part.offset, 42)
      await this.#append(entry, Buffer.from(part.name))
    }
    const end = Buffer.alloc(END_BYTES)
    end.writeUInt32LE(END, 0)
    end.writeUInt16LE(this.#parts.length, 8)
    end.writeUInt16LE(this.#parts.length, 10)
    end.writeUInt32LE(this.#at - start, 12)
    end.writeUInt32LE(start, 16)
    await this.#append(end)
  }

  async #begin(part: Omit<ArchivePart, 'offset'>): Promise<void> {
    this.#parts.push({ ...part, offset: this.#at })
    const header = Buffer.alloc(LOCAL_BYTES)
    header.writeUInt32LE(LOCAL, 0)
    writeFields(header, 4, part)
    await this.#append(header, Buffer.from(part.name))
  }

  async #append(...bytes: Buffer[]): Promise<void> {
    this.#at += bytes.reduce((sum, each) => sum + each.length, 0)
    if (this.#at > MOST_BYTES) throw new Error('the workbook would be larger than 4 GiB: use CSV, SQLite or PostgreSQL')
    for (const each of bytes) await this.#file.appendFile(each)
  }
}

/** What the header of a part and its line in the directory have in common. */
function writeFields(into: Buffer, at: number, part: Omit<ArchivePart, 'offset'>): void {
  into.writeUInt16LE(VERSION, at)
  into.writeUInt16LE(part.method, at + 4)
  into.writeUInt16LE(DAY, at + 8)
  into.writeUInt32LE(part.crc, at + 10)
  into.writeUInt32LE(part.compressedBytes, at + 14)
  into.writeUInt32LE(part.bytes, at + 18)
  into.writeUInt16LE(Buffer.byteLength(part.name), at + 22)
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  if (bytesRead < length) throw new Error('a ZIP archive ends too early')
  return buffer
}
