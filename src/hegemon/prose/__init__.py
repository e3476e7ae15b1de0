"""What players read: events, questions, answers and refusals as sentences, in five languages."""
