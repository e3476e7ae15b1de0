"""Learning environments: PettingZoo, Gymnasium and OpenSpiel over the same batches of games. They hold no rule."""
