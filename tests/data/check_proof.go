// Checks a proof of a result with Go's own note and tlog, and nothing of ours:
//
//	check_proof KEY PROOF [LATER]
//
// LATER is the answer of /t/EVENT/consistency for the size of the proof's checkpoint.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type proven struct {
	Entry string   `json:"entry"`
	Index int64    `json:"index"`
	Path  []string `json:"path"`
}

type proof struct {
	File       *string `json:"file"`
	Game       string  `json:"game"`
	Checkpoint string  `json:"checkpoint"`
	Result     proven  `json:"result"`
	Enrolment  proven  `json:"enrolment"`
}

type later struct {
	Path       []string `json:"path"`
	Checkpoint string   `json:"checkpoint"`
}

type entry struct {
	Body string `json:"body"`
}

type result struct {
	Message   string `json:"message"`
	Signature string `json:"signature"`
}

type message struct {
	Game   string `json:"game"`
	Sha256 string `json:"sha256"`
}

type enrolment struct {
	Key string `json:"public_key"`
}

func refuse(fault error) {
	if fault != nil {
		fmt.Println("refused:", fault)
		os.Exit(1)
	}
}

func read(name string, value *proof) {
	content, fault := os.ReadFile(name)
	refuse(fault)
	refuse(json.Unmarshal(content, value))
	asWritten(content)
}

// asWritten refuses a text that is not canonical JSON and a newline.
func asWritten(content []byte) {
	var fields interface{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	refuse(decoder.Decode(&fields))
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	refuse(encoder.Encode(fields))
	if !bytes.Equal(written.Bytes(), content) {
		refuse(fmt.Errorf("a byte was changed"))
	}
}

func head(text string, verifier note.Verifier) (int64, tlog.Hash) {
	opened, fault := note.Open([]byte(text), note.VerifierList(verifier))
	refuse(fault)
	lines := strings.Split(opened.Text, "\n")
	size, fault := strconv.ParseInt(lines[1], 10, 64)
	refuse(fault)
	root, fault := tlog.ParseHash(lines[2])
	refuse(fault)
	return size, root
}

func hashes(path []string) []tlog.Hash {
	var found []tlog.Hash
	for _, node := range path {
		hash, fault := tlog.ParseHash(node)
		refuse(fault)
		found = append(found, hash)
	}
	return found
}

func body(of proven, size int64, root tlog.Hash, value interface{}) {
	content, fault := base64.StdEncoding.DecodeString(of.Entry)
	refuse(fault)
	refuse(tlog.CheckRecord(hashes(of.Path), size, root, of.Index, tlog.RecordHash(content)))
	var fields entry
	refuse(json.Unmarshal(content, &fields))
	refuse(json.Unmarshal([]byte(fields.Body), value))
}

func main() {
	verifier, fault := note.NewVerifier(os.Args[1])
	refuse(fault)
	var told proof
	read(os.Args[2], &told)
	size, root := head(told.Checkpoint, verifier)
	var received result
	var enrolled enrolment
	body(told.Result, size, root, &received)
	body(told.Enrolment, size, root, &enrolled)
	key, fault := hex.DecodeString(enrolled.Key)
	refuse(fault)
	signature, fault := base64.StdEncoding.DecodeString(received.Signature)
	refuse(fault)
	if !ed25519.Verify(key, []byte("flagfall/2/result\n"+received.Message), signature) {
		refuse(fmt.Errorf("the table has not signed this"))
	}
	var signed message
	refuse(json.Unmarshal([]byte(received.Message), &signed))
	if signed.Game != told.Game {
		refuse(fmt.Errorf("another game"))
	}
	if told.File != nil && fmt.Sprintf("%x", sha256.Sum256([]byte(*told.File))) != signed.Sha256 {
		refuse(fmt.Errorf("another game file"))
	}
	if len(os.Args) > 3 {
		var grown later
		content, fault := os.ReadFile(os.Args[3])
		refuse(fault)
		refuse(json.Unmarshal(content, &grown))
		newSize, newRoot := head(grown.Checkpoint, verifier)
		refuse(tlog.CheckTree(hashes(grown.Path), newSize, newRoot, size, root))
	}
	fmt.Println(received.Message)
}
