// Combines workbooks of one table each into the ZIP archive of one workbook. The archive stays below 4 GiB, because not
// all programs read larger archives (ZIP64).

import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw, createInflateRaw } from 'node:zlib'

/** Signatures of the records of a ZIP archive: local header, entry of the central directory, and end. */
const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
/** Lengths of these records, without the names and other fields of variable length. */
const END_BYTES = 22
const LOCAL_BYTES = 30
const CENTRAL_BYTES = 46
/** Version of the ZIP format that a reader must support: 2.0, the first with deflate. */
const VERSION = 20
/**
 * Date of all files in the archive: 1 January 1980, the first date of the format. A fixed date gives the same bytes for
 * the same rows.
 */
const DOS_DATE = 33
const CHUNK_BYTES = 1 << 20
const DEFLATED = 8
const ARCHIVE_BYTES_MAX = 0xffffffff

/** A file in a ZIP archive, as the central directory describes it. */
export interface ArchivePart {
  readonly name: string
  /** Compression method of the ZIP format: 0 for none, 8 for deflate. */
  readonly method: number
  /** CRC-32 of the uncompressed bytes. */
  readonly crc: number
  readonly compressedBytes: number
  readonly bytes: number
  /** Position of the file's local header in the archive, in bytes. */
  readonly offset: number
}

/**
 * Returns the parts of an archive. Throws if the file is not a ZIP archive, or has a comment at its end. Does not read
 * ZIP64.
 */
export async function readParts(archive: FileHandle): Promise<ArchivePart[]> {
  const { size } = await archive.stat()
  const end = await readBytes(archive, size - END_BYTES, END_BYTES)
  if (end.readUInt32LE(0) !== END) throw new Error('the file is not a ZIP archive, or the archive ends with a comment')
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

/** Writes an archive to an empty file. Throws if the archive would exceed 4 GiB. */
export class ArchiveWriter {
  readonly #file: FileHandle
  readonly #parts: ArchivePart[] = []
  #at = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Adds a short string as `name`, without compression. */
  async add(name: string, text: string): Promise<void> {
    const content = Buffer.from(text)
    const sizes = { compressedBytes: content.length, bytes: content.length }
    await this.#begin({ name, method: 0, crc: crc32(content), ...sizes })
    await this.#append(content)
  }

  /** Adds a part of another archive as `name`, without compressing it again. */
  async copy(part: ArchivePart, from: FileHandle, name: string): Promise<void> {
    await this.#begin({ ...part, name })
    for await (const chunk of compressedChunks(part, from)) await this.#append(chunk)
  }

  /** Adds a part of another archive as `name`, after `change` has changed its content. The part must use deflate. */
  async copyChanged({ part, from, name, change }: PartChange): Promise<void> {
    const at = this.#at
    const index = this.#parts.length
    // The checksum and the sizes are known only after the content, so the header is then written again.
    await this.#begin({ name, method: DEFLATED, crc: 0, compressedBytes: 0, bytes: 0 })
    const start = this.#at
    let [crc, bytes] = [0, 0]
    await pipeline(
      Readable.from(compressedChunks(part, from)),
      createInflateRaw(),
      change,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          crc = crc32(chunk, crc)
          bytes += chunk.length
          yield chunk
        }
      },
      createDeflateRaw(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await this.#append(chunk)
      },
    )
    const sizes = { name, method: DEFLATED, crc, compressedBytes: this.#at - start, bytes }
    this.#parts[index] = { ...sizes, offset: at }
    await this.#file.write(headerOf(sizes), 0, LOCAL_BYTES, at)
  }

  /** Writes the central directory, which ends the archive. */
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
    await this.#append(headerOf(part), Buffer.from(part.name))
  }

  async #append(...bytes: Buffer[]): Promise<void> {
    this.#at += bytes.reduce((sum, each) => sum + each.length, 0)
    if (this.#at > ARCHIVE_BYTES_MAX)
      throw new Error('the workbook would exceed 4 GiB; use CSV, SQLite or PostgreSQL instead')
    for (const each of bytes) await this.#file.appendFile(each)
  }
}

interface PartChange {
  readonly part: ArchivePart
  readonly from: FileHandle
  readonly name: string
  readonly change: (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>
}

async function* compressedChunks(part: ArchivePart, from: FileHandle): AsyncGenerator<Buffer> {
  const header = await readBytes(from, part.offset, LOCAL_BYTES)
  const start = part.offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
  for (let done = 0; done < part.compressedBytes; done += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, part.compressedBytes - done)
    yield await readBytes(from, start + done, length)
  }
}

function headerOf(part: Omit<ArchivePart, 'offset'>): Buffer {
  const header = Buffer.alloc(LOCAL_BYTES)
  header.writeUInt32LE(LOCAL, 0)
  writeFields(header, 4, part)
  return header
}

/** Writes the fields that a local header and a central directory entry share. */
function writeFields(into: Buffer, at: number, part: Omit<ArchivePart, 'offset'>): void {
  into.writeUInt16LE(VERSION, at)
  into.writeUInt16LE(part.method, at + 4)
  into.writeUInt16LE(DOS_DATE, at + 8)
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
